//! Texts to copy from a transcript: always whole, whatever is visible of it.

use gemtrail_export::text::Clean;

use super::document::ItemPart;
use super::transcript::Transcript;

impl Transcript {
    /// The text of the item under the cursor, and what it is.
    pub fn text_to_copy(&self) -> Option<(String, &'static str)> {
        let item = self.chosen()?;
        let message = self.document().message(item);
        let clean = |text: &str| Clean::text(text).to_string();
        match item.part {
            ItemPart::Words => Some((clean(&message?.text), "message")),
            ItemPart::Thoughts => {
                let thoughts = message?.thoughts.iter();
                let texts = thoughts.map(|it| format!("{}\n{}", it.subject, it.text));
                let texts: Vec<String> = texts.map(|text| clean(text.trim())).collect();
                Some((texts.join("\n\n"), "thoughts"))
            }
            ItemPart::Call(call) => {
                let call = message?.tool_calls.get(call)?;
                let text = call.output.as_deref().or(call.error.as_deref());
                let text = text.filter(|text| !text.is_empty())?;
                Some((clean(text), "output"))
            }
            _ => {
                let lines = self.lines(self.cursor());
                let text = |line: &Vec<(_, String)>| -> String {
                    line.iter().map(|(_, text)| text.as_str()).collect()
                };
                let lines: Vec<String> = lines.iter().map(text).collect();
                Some((lines.join("\n").trim().to_owned(), "text"))
            }
        }
    }

    /// The blocks of code in the message under the cursor.
    pub fn code_to_copy(&self) -> Vec<String> {
        let message = self.chosen().and_then(|item| self.document().message(item));
        let text = message.map_or("", |message| message.text.as_str());
        let blocks = code_blocks(text).into_iter();
        blocks.map(|code| Clean::text(code).to_string()).collect()
    }

    /// The command of the call under the cursor, else what it was about.
    pub fn command_to_copy(&self) -> Option<String> {
        let item = self.chosen()?;
        let ItemPart::Call(index) = item.part else {
            return None;
        };
        let call = self.document().block(item)?.calls.into_iter().nth(index)?;
        let mut arguments = call.arguments.iter();
        let command = arguments.find(|argument| argument.name.as_str() == "command");
        let text = command.map_or(&call.target, |command| &command.value);
        (!text.is_empty()).then(|| text.to_string())
    }
}

/// The blocks of code between fences.
fn code_blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let fence: String = trimmed
            .chars()
            .take_while(|&c| c == '`' || c == '~')
            .collect();
        match &mut open {
            Some((mark, code)) => {
                if fence.starts_with(mark.as_str()) && trimmed.trim_end() == fence {
                    blocks.push(std::mem::take(code));
                    open = None;
                } else {
                    code.push_str(line);
                    code.push('\n');
                }
            }
            None if fence.len() >= 3 => open = Some((fence, String::new())),
            None => {}
        }
    }
    blocks.extend(open.map(|(_, code)| code));
    blocks
}

#[cfg(test)]
mod tests {
    use super::code_blocks;

    #[test]
    fn finds_what_stands_between_fences() {
        let text = "a\n```rust\nlet a;\n```\nb\n~~~~\n```\n~~~~\n```\nopen";
        assert_eq!(code_blocks(text), ["let a;\n", "```\n", "open\n"]);
        assert!(code_blocks("`no` code").is_empty());
    }
}

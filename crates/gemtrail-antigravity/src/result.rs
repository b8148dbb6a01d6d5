//! What the execution of a call gave: output, exit code, files.

use gemtrail_core::json::Raw;
use gemtrail_core::model::OutputFile;

use crate::types::StepType;
use crate::wire::WireRecord;
use crate::{edit, raw, uri};

/// The answer to a call, as far as its step has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepResult {
    pub(crate) output: Option<String>,
    pub(crate) exit_code: Option<i64>,
    pub(crate) output_file: Option<OutputFile>,
    pub(crate) display: Option<Raw>,
    pub(crate) server: Option<String>,
    /// Pictures and the like, as parts.
    pub(crate) media: Vec<String>,
    /// The person said no.
    pub(crate) is_rejected: bool,
    /// The conversations of the subagents that were started.
    pub(crate) agents: Vec<String>,
    /// The directory that a command ran in.
    pub(crate) directory: Option<String>,
    /// The workspace, where the step names it.
    pub(crate) workspace: Option<String>,
}

impl StepResult {
    /// Reads the payload of a step.
    pub(crate) fn read(kind: &StepType, payload: WireRecord<'_>) -> Self {
        match kind.name {
            "CODE_ACTION" => Self {
                display: edit::display(payload),
                workspace: edit::workspace(payload),
                ..Self::default()
            },
            "RUN_COMMAND" => Self::command(payload),
            "GREP_SEARCH" => Self::text(payload.text(3).or_else(|| payload.text(5))),
            "FIND" => Self::text([11, 14, 8].into_iter().find_map(|at| payload.text(at))),
            "VIEW_FILE" => Self {
                media: raw::media(payload, 15),
                ..Self::text(payload.text(4))
            },
            "LIST_DIRECTORY" => Self::listing(payload),
            "READ_URL_CONTENT" => Self::page(payload),
            "SEARCH_WEB" => Self::text(payload.text(5)),
            "MCP_TOOL" => Self {
                server: payload.text(1).map(str::to_owned),
                output_file: payload.text(8).map(spilled),
                media: raw::media(payload, 6),
                is_rejected: payload.flag(7),
                ..Self::text(payload.text(3))
            },
            "AGENCY_TOOL_CALL" => Self::custom(payload),
            "INVOKE_SUBAGENT" => Self::subagents(payload),
            "ASK_QUESTION" => Self::answers(payload),
            "FINISH" => Self::text(payload.text(2)),
            "COMMAND_STATUS" => Self {
                exit_code: payload.signed(5),
                ..Self::text([9, 12, 3].into_iter().find_map(|at| payload.text(at)))
            },
            "GENERIC" => {
                let result = payload.record(2);
                Self {
                    output_file: result.text(7).map(spilled),
                    media: raw::media(result, 4),
                    ..Self::text(result.text(1))
                }
            }
            _ => Self::default(),
        }
    }

    fn text(output: Option<&str>) -> Self {
        Self {
            output: output.map(str::to_owned),
            ..Self::default()
        }
    }

    fn command(payload: WireRecord<'_>) -> Self {
        let combined = payload.record(21);
        let separate = [4, 5].into_iter().filter_map(|at| payload.text(at));
        let output = combined.text(1).or_else(|| combined.text(2));
        let exit_code = payload.signed(6);
        let output = output.map_or_else(|| separate.collect(), str::to_owned);
        Self {
            // A command that ended without a word has an output: an empty one.
            output: (!output.is_empty() || exit_code.is_some()).then_some(output),
            exit_code,
            is_rejected: payload.flag(14),
            directory: payload.text(2).map(str::to_owned),
            ..Self::default()
        }
    }

    fn listing(payload: WireRecord<'_>) -> Self {
        let entry = |entry: WireRecord<'_>| {
            let name = entry.text(1).unwrap_or_default();
            if entry.flag(2) {
                format!("{name}/")
            } else {
                format!("{name} ({} bytes)", entry.count(4))
            }
        };
        let mut lines: Vec<String> = payload.records(3).map(entry).collect();
        if lines.is_empty() {
            lines.extend(payload.texts(2).map(str::to_owned));
        }
        Self::text(Some(&lines.join("\n")))
    }

    fn page(payload: WireRecord<'_>) -> Self {
        let page = payload.record(2);
        let mut texts: Vec<&str> = page.text(4).into_iter().collect();
        for chunk in page.records(6) {
            texts.extend(chunk.record(3).text(2).or_else(|| chunk.text(2)));
        }
        Self {
            output: (!texts.is_empty()).then(|| texts.join("\n")),
            output_file: payload.text(6).map(spilled),
            is_rejected: payload.flag(5),
            ..Self::default()
        }
    }

    /// The answer of a tool that the embedding program brought along, which is JSON.
    fn custom(payload: WireRecord<'_>) -> Self {
        let answers = payload.records(4);
        let answers: Vec<&str> = answers.filter_map(|any| any.record(2).text(2)).collect();
        Self::text((!answers.is_empty()).then(|| answers.join("\n")).as_deref())
    }

    fn subagents(payload: WireRecord<'_>) -> Self {
        let results = payload.records(10);
        let mut agents: Vec<String> = results
            .filter_map(|result| result.text(1).map(str::to_owned))
            .collect();
        if agents.is_empty() {
            agents.extend(payload.text(5).map(str::to_owned));
        }
        let mut uris = payload.records(10).flat_map(|result| result.texts(3));
        Self {
            output: (!agents.is_empty()).then(|| agents.join("\n")),
            workspace: uris.find_map(uri::path_of),
            agents,
            ..Self::default()
        }
    }

    /// The person's answers, a line for each question.
    fn answers(payload: WireRecord<'_>) -> Self {
        let answer = |question: WireRecord<'_>| {
            let chosen = |id: &str| {
                let mut options = question.records(2);
                let option = options.find(|option| option.text(1) == Some(id));
                option.and_then(|it| it.text(2)).unwrap_or(id).to_owned()
            };
            let mut words: Vec<String> = question.texts(4).map(chosen).collect();
            words.extend(question.text(5).map(str::to_owned));
            if words.is_empty() && question.flag(6) {
                words.push("(skipped)".to_owned());
            }
            words.join(", ")
        };
        let answers: Vec<String> = payload.records(1).map(answer).collect();
        let is_answered = answers.iter().any(|answer| !answer.is_empty());
        Self::text(is_answered.then(|| answers.join("\n")).as_deref())
    }
}

/// The file that a long output was moved to.
fn spilled(place: &str) -> OutputFile {
    OutputFile {
        path: uri::path_of(place).unwrap_or_else(|| place.to_owned()),
        bytes: None,
    }
}

//! A home directory with a bit of everything.

use serde_json::{Value, json};

use crate::support::Person;

/// A session with calls, thoughts, a rewind and a failure; one of a project with the same name; one
/// that only the prompt log knows.
pub(crate) fn sample() -> Person {
    let person = Person::new();
    let shop = Project::new(&person, "acme-shop", "/src/acme-shop");
    shop.session("7bd875c3", "2020-11-15T18:4", &tour());
    shop.session(
        "833cb03c",
        "2020-11-14T09:1",
        &[said("u1", 0, "支払いテストを並列化する")],
    );
    let kit = Project::new(&person, "nova-kit", "/src/nova-kit");
    kit.session(
        "3b4b4fca",
        "2020-10-31T15:3",
        &[
            said("u1", 0, "What does this project do?"),
            answer("g1", 1, "It is a tiny demo shop.", &json!([])),
        ],
    );
    let other = Project::new(&person, "nova-kit-1", "/other/nova-kit");
    other.session(
        "97eda8b2",
        "2020-10-30T08:0",
        &[said("u1", 0, "Raise the tax rate, please.")],
    );
    other.log(
        "413a2cbb-aaaa-4bbb-8ccc-0123456789ab",
        "Where did the cart go?",
    );
    person
}

fn tour() -> Vec<Value> {
    vec![
        said(
            "c1",
            0,
            "<session_context>\nToday is Sunday.\nNo discount here.\n</session_context>",
        ),
        said("u1", 0, "Tour the code, then add a discount helper."),
        json!({"id": "g1", "type": "gemini", "minute": 1, "content": "Let me look around.",
        "model": "gemini-3-pro", "thoughts": [{"subject": "Reading",
        "description": "The discount belongs beside the cart.", "timestamp": "2020-11-15T18:41:00.000Z"}],
        "tokens": {"input": 2000, "output": 61, "cached": 0, "thoughts": 12, "tool": 0, "total": 2073},
        "toolCalls": [
            call("t1", "read_file", &json!({"file_path": "/src/acme-shop/src/cart.js"}), "success",
                "export function total(items) {\n  return items.reduce((a, i) => a + i.price, 0);\n}\n// end\n// of\n// file"),
            call("t2", "run_shell_command", &json!({"command": "npm test"}), "error",
                "Command: npm test\nOutput: 1 failing\nExit Code: 3"),
        ]}),
        answer(
            "g2",
            2,
            "All done: `src/discount.js` was added.",
            &json!([]),
        ),
        said("u2", 3, "And now in French."),
        answer("g3", 4, "Voilà.", &json!([])),
        json!({"$rewindTo": "u2"}),
        said("u3", 5, "Thanks!"),
    ]
}

fn said(id: &str, minute: u32, text: &str) -> Value {
    json!({"id": id, "type": "user", "minute": minute, "content": [{"text": text}]})
}

fn answer(id: &str, minute: u32, text: &str, calls: &Value) -> Value {
    json!({"id": id, "type": "gemini", "minute": minute, "content": text, "model": "gemini-3-pro",
        "toolCalls": calls, "tokens": {"input": 1200, "output": 45, "cached": 1000, "thoughts": 0,
        "tool": 0, "total": 1245}})
}

fn call(id: &str, name: &str, args: &Value, status: &str, output: &str) -> Value {
    json!({"id": id, "name": name, "args": args, "status": status,
        "timestamp": "2020-11-15T18:41:30.000Z", "result": [{"functionResponse":
        {"id": id, "name": name, "response": {"output": output}}}]})
}

struct Project<'p> {
    person: &'p Person,
    dir: String,
}

impl<'p> Project<'p> {
    fn new(person: &'p Person, slug: &str, root: &str) -> Self {
        let dir = format!(".gemini/tmp/{slug}");
        person.write(&format!("{dir}/.project_root"), root);
        Self { person, dir }
    }

    /// Writes a journal; minutes of the messages follow the start of the time.
    fn session(&self, short: &str, time: &str, messages: &[Value]) {
        let at = |minute: u64| format!("{time}{minute}:00.000Z");
        let header = json!({"sessionId": format!("{short}-aaaa-4bbb-8ccc-0123456789ab"),
            "projectHash": self.dir, "startTime": at(0), "lastUpdated": at(9)});
        let mut lines = vec![header];
        for message in messages {
            let mut message = message.clone();
            if let Some(minute) = message["minute"].as_u64() {
                message["timestamp"] = at(minute).into();
            }
            message.as_object_mut().expect("an object").remove("minute");
            lines.push(message);
        }
        let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
        let minute = time.replace(':', "-");
        let file = format!("{}/chats/session-{minute}0-{short}.jsonl", self.dir);
        self.person.write(&file, &text);
    }

    fn log(&self, id: &str, prompt: &str) {
        let log = json!([{"sessionId": id, "messageId": 0, "type": "user", "message": prompt,
            "timestamp": "2020-10-29T11:00:00.000Z"}]);
        self.person
            .write(&format!("{}/logs.json", self.dir), &log.to_string());
    }
}

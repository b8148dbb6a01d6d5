//! Tool calls as children of the message that made them.

use gemtrail_core::model::{CallStatus, ToolCall};

use super::native::Native;
use super::provider::UNKNOWN;
use super::translator::{Translator, non_empty, put};
use crate::time::follows_pattern;
use crate::validate::TOOL_CALL;
use crate::value::{Object, Value, object};

impl Translator {
    /// The call, and its result if there is one.
    pub(super) fn tool_call(
        &mut self,
        call: &ToolCall,
        message_time: Option<&str>,
        children: &mut Vec<Value>,
    ) {
        // A bad time of the message is kept, and noted, on the message.
        let message_time = message_time.filter(|text| follows_pattern(text));
        let time = call.time.as_deref().or(message_time);
        let output = self.raw(call.result.as_ref());

        let mut native = Native::default();
        let mut entry = object([("type", "tool-call".into())]);
        self.time(&mut entry, &mut native, time);
        let name = non_empty(&call.name).unwrap_or(UNKNOWN);
        entry.insert("name".to_owned(), name.into());
        let input = self.raw(call.args.as_ref());
        let input = input.unwrap_or_else(|| Object::new().into());
        entry.insert("input".to_owned(), input);
        put(&mut entry, "call-id", non_empty(call.id.as_str()));

        native.add("displayName", call.display_name.as_deref());
        native.add("description", call.description.as_deref());
        native.add("resultDisplay", self.raw(call.display.as_ref()));
        native.add("renderOutputAsMarkdown", call.markdown);
        native.add("agentId", call.agent.as_deref());
        if output.is_none() {
            // The schema has a status only on results.
            native.add("status", call.status.as_ref().map(CallStatus::as_str));
        }
        self.fields(&mut native, &call.extra);
        native.place(&mut entry, self.profile, &TOOL_CALL);
        children.push(entry.into());

        if let Some(output) = output {
            children.push(self.tool_result(call, output, time));
        }
    }

    fn tool_result(&mut self, call: &ToolCall, output: Value, time: Option<&str>) -> Value {
        let mut entry = object([("type", "tool-result".into())]);
        // A bad time is already kept, and noted, on the call.
        let time = time.filter(|text| follows_pattern(text));
        put(&mut entry, "timestamp", time);
        entry.insert("output".to_owned(), output);
        put(
            &mut entry,
            "status",
            call.status.as_ref().map(CallStatus::as_str),
        );
        if call.status == Some(CallStatus::Error) && !self.profile.is_minimal() {
            entry.insert("is-error".to_owned(), true.into());
        }
        put(&mut entry, "call-id", non_empty(call.id.as_str()));
        entry.into()
    }
}

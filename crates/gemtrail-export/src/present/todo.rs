//! To-do lists.

use gemtrail_core::json::Node;

use crate::text::Clean;

/// The progress of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TodoStatus {
    /// Not started.
    Pending,
    /// Under way.
    InProgress,
    /// Done.
    Completed,
    /// Given up.
    Cancelled,
    /// Waiting for something else.
    Blocked,
}

impl TodoStatus {
    fn parse(text: &str) -> Self {
        match text {
            "in_progress" => Self::InProgress,
            "completed" => Self::Completed,
            "cancelled" => Self::Cancelled,
            "blocked" => Self::Blocked,
            _ => Self::Pending,
        }
    }

    /// The status in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in progress",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Blocked => "blocked",
        }
    }
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo<'a> {
    /// What is to be done.
    pub text: Clean<'a>,
    /// Its progress.
    pub status: TodoStatus,
}

/// The steps that an object lists under `todos`.
pub(super) fn todos(node: Node<'_>) -> Option<Vec<Todo<'_>>> {
    let list = node.get("todos")?;
    let todos: Vec<_> = list.items().filter_map(todo).collect();
    (!todos.is_empty()).then_some(todos)
}

fn todo(node: Node<'_>) -> Option<Todo<'_>> {
    let text = node.get("description")?.as_str()?;
    let status = node.get("status").and_then(Node::as_str);
    Some(Todo {
        text: Clean::line(text),
        status: TodoStatus::parse(status.as_deref().unwrap_or_default()),
    })
}

/// How many are done.
pub(super) fn completed(todos: &[Todo<'_>]) -> usize {
    todos
        .iter()
        .filter(|todo| todo.status == TodoStatus::Completed)
        .count()
}

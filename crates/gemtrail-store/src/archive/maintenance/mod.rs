//! What is done with an archive besides taking in and reading: facts about it, checks, retention, forgetting.

pub(crate) mod care;
pub(crate) mod forget;
pub(crate) mod keep;

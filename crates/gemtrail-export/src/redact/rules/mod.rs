//! The built-in rules, by family, written from the token formats that the issuers document.

mod chat;
mod cloud;
mod commands;
mod context;
mod keys;
mod markup;
mod models;
mod names;
mod operations;
mod packages;
mod payment;
mod repositories;

use super::rule::Entry;

const FAMILIES: [&[Entry]; 11] = [
    keys::RULES,
    cloud::RULES,
    repositories::RULES,
    models::RULES,
    chat::RULES,
    payment::RULES,
    packages::RULES,
    operations::RULES,
    context::RULES,
    markup::RULES,
    commands::RULES,
];

/// All rules, the most specific families first.
pub(super) fn built_in() -> impl Iterator<Item = &'static Entry> {
    FAMILIES.into_iter().flatten()
}

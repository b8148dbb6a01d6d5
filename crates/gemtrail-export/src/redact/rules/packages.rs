//! Package registries.

use crate::redact::rule::Entry;

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::shape("npm-token", &["npm_"], r"\bnpm_[A-Za-z0-9]{36}\b")
        .proof("npm_{a36}", "npm_config_registry"),
    Entry::context("npm-token", &["_authToken", ":_password", ":_auth=", "\n_auth="], r#"[:\n]?_(?:authToken|password|auth)\s*=\s*["']?([\w+/=.-]{12,})"#)
        .exact_case()
        .entropy(2.5)
        .proof("//r.example/:_authToken={h8}-{h4}-{h4}-{h4}-{h12}", "_authToken=${NPM_TOKEN}"),
    Entry::shape("pypi-token", &["pypi-AgE"], r"\bpypi-AgE[\w-]{50,}")
        .proof("pypi-AgEIcHlwaS5vcmc{w150}", "pypi-AgE"),
    Entry::shape("crates-io-token", &["cio"], r"\bcio[A-Za-z0-9]{32}\b")
        .entropy(3.5)
        .proof("cio{a32}", "cio"),
    Entry::shape("docker-token", &["dckr_pat_", "dckr_oat_"], r"\bdckr_[po]at_[\w-]{24,}")
        .proof("dckr_pat_{w27}", "dckr_pat_x"),
    Entry::shape("rubygems-key", &["rubygems_"], r"\brubygems_[a-f0-9]{48}\b")
        .proof("rubygems_{h48}", "rubygems_api_key"),
    Entry::shape("nuget-key", &["oy2"], r"\boy2[a-z0-9]{43}\b")
        .proof("oy2{h43}", "oy2"),
    Entry::shape("jfrog-key", &["AKCp", "cmVmdGtu"], r"\b(?:AKCp|cmVmdGtu)[A-Za-z0-9]{50,}\b")
        .proof("AKCp{a69}", "AKCp"),
    Entry::shape("clojars-token", &["CLOJARS_"], r"\bCLOJARS_[a-f0-9]{60}\b")
        .proof("CLOJARS_{h60}", "CLOJARS_USERNAME"),
];

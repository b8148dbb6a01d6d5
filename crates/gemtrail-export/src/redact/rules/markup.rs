//! Secrets in markup, tables, manifests and configuration that have their own way of naming them.

use super::names::{SECRET_NAMES, named};
use crate::redact::finders;
use crate::redact::rule::{Basis, Entry, Judge};

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    // <password>…</password>
    Entry::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})>\s{0,4}(?:<!\[CDATA\[)?([^<>\s]{6,512})(?:\]\]>)?\s{0,4}<\\*/"#))
        .after_name(b">")
        .judge(Judge::NamedValue)
        .proof("<server><password>{p14}</password></server>", "<password>${env.PASSWORD}</password>"),
    // <string name="api_key">…</string>, <key>password</key><string>…</string>
    Entry::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})(?:\\*["'][^<>]{0,40}>|</key>\s{0,40}<string>|</name>\s{0,40}<value>)\s{0,4}([^<>\s]{6,512})\s{0,4}<"#))
        .after_name(b"\"'\\<")
        .judge(Judge::BareValue)
        .proof("<string name=\"api_key\">{a30}7</string>", "<label for=\"password\">Password</label>"),
    // name: DB_PASSWORD, value: …; "db_password": {"value": "…"}; variable "db_password" { default = "…" }
    Entry::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})\\*["']?\s{0,4}(?:[:=,]\s{0,40}|\\n\s{0,24}|\s{1,40})?\{?[\s]{0,24}(?:(?:type|description|sensitive|version)\\*["']?\s{0,8}[:=]\s{0,8}[^\n{}]{0,80}[\n,]\s{0,24}){0,3}\\*["']?(?:value|default|content|secret_?string)\\*["']?\s{0,8}[:=]\s{0,8}\\*["']?([^\s"'`\\<>,;]{6,512})"#))
        .after_name(b"\"'\\ \t\n:=,{")
        .judge(Judge::NamedValue)
        .proof("variable \"db_password\" {\n  type    = string\n  default = \"{p14}\"\n}", "variable \"db_password\" {\n  type = string\n  sensitive = true\n}"),
    // | JWT_SECRET | … |
    Entry::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})["'`*]{0,3}\s{0,40}\\?(?:\||│)\s{0,20}["'`*]{0,3}([^\s"'`|\\]{8,512})["'`*]{0,3}\s{0,60}(?:\||│|\n)"#))
        .after_name(b"\"'`* \t|\\\xe2")
        .judge(Judge::BareValue)
        .proof("| JWT_SECRET | {a31}7 |", "| `password` | string | required |"),
    // define('DB_PASSWORD', '…'), setProperty("password", "…"), .password("…")
    Entry::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})(?:\\*["'`]\s{0,2},\s{0,4}|\()\\*["'`]((?:[^\s"'`\\]|\\[^nrt"'`\\]){6,})\\*["'`]\s{0,2}\)"#))
        .after_name(b"\"'`\\(")
        .judge(Judge::BareValue)
        .proof("define('DB_PASSWORD', '{a13}7');", "form.get('password', 'required')"),
    Entry::found_by("cookie", Basis::Context, &["Cookie", "cookie", "COOKIE", " -b "], finders::cookies)
        .proof("Cookie: theme=dark; sessionid={a32}", "Set-Cookie: theme=dark; Path=/"),
    Entry::context("cookie", &["PHPSESSID", "JSESSIONID", "connect.sid", "ASP.NET_SessionId", "laravel_session", "csrftoken", "sessionid="], r#"(?:PHPSESSID|JSESSIONID|connect\.sid|ASP\.NET_SessionId|laravel_session|csrftoken|sessionid)\\*["']?\s{0,2}[:=]\s{0,2}\\*["']?([\w%.+/=~-]{16,})"#)
        .exact_case()
        .judge(Judge::RandomValue)
        .proof("PHPSESSID={h26}", "PHPSESSID=deleted"),
    Entry::found_by("kubernetes-secret", Basis::Context, &["kind: Secret", "kind: \"Secret\"", "\"kind\": \"Secret\"", "\"kind\":\"Secret\""], finders::secret_data)
        .proof("apiVersion: v1\nkind: Secret\ndata:\n  pin: {b16}\n", "kind: Secret\nmetadata:\n  name: {a16}\n"),
    Entry::context("app-password", &["app password", "app-specific password", "application password", "app_password"], r#"(?i)app(?:lication|-specific)?[ _-]password["'`*]{0,3}\s{0,3}(?:is\s)?[:=]?\s{0,3}["'`]?([a-z]{4}(?:[ -][a-z]{4}){3})\b"#)
        .proof("Gmail app password: {l4} {l4} {l4} {l4}", "an app password has four groups"),
];

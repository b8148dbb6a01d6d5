//! Passwords and opaque tokens, which only their surroundings give away.

use crate::redact::rule::{Entry, Judge};

/// Parts of names whose values are secrets, in any case.
const SECRET_NAMES: &[&str] = &[
    "passw",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "apiKey",
    "ApiKey",
    "APIKey",
    "api_key",
    "api-key",
    "Api-Key",
    "accesskey",
    "accessKey",
    "AccessKey",
    "access_key",
    "access-key",
    "private_key",
    "privatekey",
    "privateKey",
    "PrivateKey",
    "credential",
    "encryption_key",
    "encryptionKey",
    "signing_key",
    "signingKey",
    "auth_key",
    "authkey",
    "authKey",
    "account_key",
    "AccountKey",
    "_pass",
];

/// The same as they stand in environment variables.
const SECRET_VARIABLES: &[&str] = &[
    "PASSW",
    "PASSPHRASE",
    "_PWD",
    "SECRET",
    "TOKEN",
    "APIKEY",
    "API_KEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "CREDENTIAL",
    "ENCRYPTION_KEY",
    "SIGNING_KEY",
    "AUTH_KEY",
    "ACCOUNT_KEY",
    "_PASS",
];

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::context("url-password", &["://"], r#"://[^\s/:@"'`<>\\]{0,100}:([^\s/@"'`<>\\]{3,200})@[\w\[]"#)
        .judge(Judge::NamedValue)
        .proof("postgres://shop:{a18}@db:5432/shop", "http://[::1]:8080/@me"),
    Entry::context("url-password", &[":\\/\\/"], r#":\\+/\\+/[^\s/:@"'`<>\\]{0,100}:([^\s/@"'`<>\\]{3,200})@[\w\[]"#)
        .judge(Judge::NamedValue)
        .proof(r"postgres:\/\/shop:{a18}@db:5432\/shop", r"http:\/\/db:5432\/shop@1"),
    Entry::context("authorization", &["authorization"], r#"(?i)authorization\\*["']?\s{0,4}[:=,]\s{0,4}[\\"'`{]{0,4}(?:bearer|token|bot|basic|apikey|digest)\s+([\w.~+/=:-]{8,})"#)
        .entropy(2.5)
        .proof("Authorization: Basic {b32}=", "Authorization: Bearer $TOKEN"),
    Entry::context("bearer-token", &["bearer "], r"(?i)\bbearer ([\w.~+/-]{20,}=*)")
        .entropy(3.5)
        .judge(Judge::BareValue)
        .proof("Bearer {a40}", "bearer authentication-is-required"),
    Entry::context("secret", SECRET_VARIABLES, r#"((?:PASSW|PASSPHRASE|_PWD|SECRET|TOKEN|APIKEY|API_KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIAL|ENCRYPTION_KEY|SIGNING_KEY|AUTH_KEY|ACCOUNT_KEY|_PASS)[A-Z0-9_]{0,30})=\\*["']?((?:[^\s"'\\]|\\[^nrt"'\\]){6,512})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("DB_PASSWORD={p16}", "DB_PASSWORD=${DB_PASSWORD}"),
    Entry::context("secret", SECRET_NAMES, r#"(?i)((?:passw|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private_?key|credential|encryption_?key|signing_?key|auth_?key|account_?key|_pass)[\w.-]{0,30})(?:\\*["'`])?\]?(?:\s{0,2}:\s{0,2}&?\w{1,16})?\s{0,4}(?:=>|:=|[:=])\s{0,4}[bfru]{0,2}\\*["'`]((?:[^\s"'`\\]|\\[^nrt"'`\\]){6,512})\\*["'`]"#)
        .judge(Judge::NamedValue)
        .proof(r#"{"password": "{p14}"}"#, r#"password: "required""#),
    Entry::context("secret", SECRET_NAMES, r#"(?i)((?:passw|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private_?key|credential|encryption_?key|signing_?key|auth_?key|account_?key|_pass)[\w.-]{0,30})\\*["']?\s{0,2}[:=]\s{0,2}([\w!#%*+/=~@^&.,-]{8,512})(?:[\s"'`\\;&)]|$)"#)
        .judge(Judge::BareValue)
        .proof("  password: {a13}7", "token = self.next_token()"),
    Entry::context("secret", &["--pass", "--token", "--secret", "--api-key", "--apikey", "--access-key", "--auth"], r#"(?i)--((?:pass|token|secret|api-?key|access-key|auth)[\w-]{0,20})[ =]["']?([^\s"'`]{8,512})"#)
        .judge(Judge::BareValue)
        .proof("tool --password 7{a15} --host db", "tool --password-stdin --host db"),
    Entry::context("secret", &["login "], r"login\s+\S+\s+(password)\s+(\S{6,200})")
        .judge(Judge::NamedValue)
        .proof("machine api login alice password {a20}", "login form password field"),
    Entry::context("secret", &["-u "], r#"\s(-u) ["']?[^\s:"'`]{1,64}:([^\s"'`]{8,200})"#)
        .before(1)
        .judge(Judge::BareValue)
        .proof("curl -u alice:7{a15} host", "docker run -u 1000:1000 image"),
    Entry::context("secret", &["password=", "pwd="], r#"(?i)(password|pwd)=([^;\s"'`]{4,200});"#)
        .judge(Judge::NamedValue)
        .proof("Server=db;User Id=sa;Password={p12};", "password=$PASSWORD;"),
    Entry::context("docker-auth", &["\"auth\""], r#""auth\\*"\s*:\s*\\*"([A-Za-z0-9+/]{12,}={0,2})\\*""#)
        .entropy(3.0)
        .proof(r#""auth": "{b40}""#, r#""auth": "oauth2""#),
];

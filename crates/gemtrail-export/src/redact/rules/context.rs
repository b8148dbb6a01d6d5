//! Passwords and opaque tokens that a name, a header or a URL gives away.

use super::names::{SECRET_NAMES, SECRET_VARIABLES, named};
use crate::redact::rule::{Entry, Judge};

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    // URLs.
    Entry::context("url-password", &["://"], r#"://[^\s/:@"'`<>\\]{0,100}:([^\s/@"'`<>\\]{3,200})@[\w\[]"#)
        .judge(Judge::NamedValue)
        .proof("postgres://shop:{a18}@db:5432/shop", "http://[::1]:8080/@me"),
    Entry::context("url-password", &[":\\/\\/"], r#":\\+/\\+/[^\s/:@"'`<>\\]{0,100}:([^\s/@"'`<>\\]{3,200})@[\w\[]"#)
        .judge(Judge::NamedValue)
        .proof(r"postgres:\/\/shop:{a18}@db:5432\/shop", r"http:\/\/db:5432\/shop@1"),
    Entry::context("url-password", &["jdbc:oracle:thin:"], r"jdbc:oracle:thin:[\w.$#-]{1,64}/([^\s/@]{3,200})@")
        .proof("jdbc:oracle:thin:shop/{a12}@db:1521:xe", "jdbc:oracle:thin:@db:1521:xe"),
    Entry::context("url-token", &["?code=", "&code=", "?key=", "&key=", "?sig=", "&signature=", "?signature=", "?auth=", "&auth=", "&assertion=", "code_verifier=", "&hmac=", "?hmac="], r#"(?:[?&]|\b)(key|code|sig|signature|auth|hmac|assertion|code_verifier)=([^&\s"'`<>#\\]{16,})"#)
        .judge(Judge::RandomValue)
        .proof("https://app.acme.example/cb?code={a32}&state=x", "https://x/?key=the-name-of-the-file.txt"),
    Entry::context("secret", &["?pass=", "&pass=", "?pw=", "&pw="], r#"[?&](pass|pw)=([^&\s"'`<>#\\]{6,})"#)
        .judge(Judge::BareValue)
        .proof("http://cam/?user=a&pass={a9}7&x=1", "/login?pass=correct&x=1"),

    // Headers.
    Entry::context("authorization", &["authorization"], r#"(?i)authorization\\*["']?\s{0,4}[:=,]\s{0,4}[\\"'`{]{0,4}(bearer|token|bot|basic|apikey|digest|geniekey|splunk|sharedkey|hmac|key|jwt|oauth|negotiate)\s+(?:token=|key=)?\\*["']?([\w.~+/=:-]{8,})"#)
        .judge(Judge::NamedValue)
        .proof("Authorization: Basic {b32}=", "Authorization: Bearer $TOKEN"),
    Entry::context("authorization", &["authorization"], r#"(?i)(authorization)\\*["']?\s{0,4}[:=,]\s{0,4}[\\"'`]{0,4}([\w.~+/=:-]{20,})"#)
        .judge(Judge::RandomValue)
        .proof("'Authorization': '{a32}7'", "authorization: required-for-all-requests"),
    Entry::context("bearer-token", &["bearer "], r"(?i)\bbearer ([\w.~+/-]{20,}=*)")
        .entropy(3.5)
        .judge(Judge::BareValue)
        .proof("Bearer {a40}", "bearer authentication-is-required"),

    // NAME=value, "name": "value", name: value.
    Entry::context("secret", SECRET_VARIABLES, r#"((?:PASSW|PASSPHRASE|PASSCODE|_PWD|SECRET|TOKEN|APIKEY|API_KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIAL|ENCRYPTION_KEY|SIGNING_KEY|AUTH_KEY|ACCOUNT_KEY|MASTER_KEY|_PASS|APP_KEY|_PSK)[A-Z0-9_]{0,30})=\\*["']?((?:[^\s"'`<\\]|\\[^nrt"'`<\\]){6,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("DB_PASSWORD={p16}", "DB_PASSWORD=${DB_PASSWORD}"),
    Entry::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})(?:\\*["'`])?\]?(?:\s{0,2}:\s{0,2}&?\w{1,16})?\s{0,16}(?:=>|:=|[:=])\s{0,16}[bfru]{0,2}\\*["'`]((?:[^\s"'`\\]|\\[^nrt"'`\\]){6,})\\*["'`]"#))
        .after_name(b"\"'`\\] \t\n:=")
        .judge(Judge::NamedValue)
        .proof(r#"{"password": "{p14}"}"#, r#"password: "required""#),
    Entry::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})\\*["']?\]?[ \t]{0,16}(?:[:=]|=>|:=)(?:\s{0,2}|[ \t]{0,20}|[ \t]?[|>][+-]?\s{1,20}|\r?\n[ \t]{1,20})([\w!#%*+/=~@^&.,$?-]{6,})(?:[\s"'`\\;&)<\]}|]|$)"#))
        .after_name(b"\"'\\] \t:=")
        .judge(Judge::BareValue)
        .proof("  password: {a13}7", "token = self.next_token()"),
    Entry::context("secret", &["pass:", "pass=", "pass\"", "pass'", "pass :", "pass ="], r#"(?i)(pass)\\*["']?\s{0,4}(?:=>|[:=])\s{0,4}\\*["'`]((?:[^\s"'`\\]|\\[^nrt"'`\\]){6,})\\*["'`]"#)
        .judge(Judge::NamedValue)
        .proof("auth: { user: 'ci', pass: '{p14}' }", "{ pass: 'string' }"),
    Entry::context("secret", &["pass:", "pass=", "pass :", "pass ="], r#"(?i)(pass)\s{0,4}[:=]\s{0,4}([\w!#%*+/=~@^&.,$?-]{6,})(?:[\s"'`\\;&)]|$)"#)
        .judge(Judge::BareValue)
        .proof("pass = {a14}7\n", "tests that pass: everything"),

    // Names that end in `key` mostly do not mean a secret: the value has to look random.
    Entry::context("secret", &["_key", "-key", ".key"], r#"(?i)([_.-]key)\\*["']?\]?\s{0,4}(?:=>|:=|[:=])\s{0,4}\\*["'`]?([\w+/=:.~-]{20,})(?:[\s"'`\\;&),<\]}]|$)"#)
        .judge(Judge::RandomValue)
        .proof("JWT_KEY={h32}", "CACHE_KEY=deps-{h40}"),
    Entry::context("secret", &["Key:", "Key=", "Key\"", "Key'", "Key =", "Key :", "Key\\"], r#"(Key)\\*["']?\]?\s{0,4}(?:=>|:=|[:=])\s{0,4}\\*["'`]?([\w+/=:.~-]{20,})(?:[\s"'`\\;&),<\]}]|$)"#)
        .exact_case()
        .judge(Judge::RandomValue)
        .proof("\"hmacKey\": \"{b43}=\"", "\"publicKey\": \"{b43}=\""),

    // Prompts, and sentences that state the secret.
    Entry::context("secret", &["password for", "passphrase for", "passcode for"], r#"(?i)(pass(?:word|phrase|code)) for [^\n:]{1,80}:[ \t]{1,3}([^\s"'`\\<>{}]{6,})"#)
        .judge(Judge::BareValue)
        .proof("[sudo] password for bob: {a12}7", "[sudo] password for bob: Sorry, try again."),
    Entry::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})["'`*]{0,3}(?: (?:[\w@.'-]|’){1,24}){0,4}? (?:is|was|are|ist|lautet|to)(?: now| still| set to)?:?[ \t]{1,2}(?:["'`*]|“){0,3}([^\s"'`\\<>{}()\[\];]{6,})"#))
        .after_name(b"\"'`* ")
        .judge(Judge::BareValue)
        .proof("the password for the router is {a12}7 now", "the token is base64 encoded"),
    Entry::context("secret", &["密码", "密碼", "口令", "密钥", "令牌", "パスワード", "пароль", "Пароль", "비밀번호", "contraseña", "mot de passe", "senha", "kennwort"], r#"(?i)(?:密码|密碼|口令|密钥|令牌|パスワード|пароль|Пароль|비밀번호|contraseña|mot de passe|senha|kennwort)(?:\s?(?:是|为|為|は|ist|lautet|es|est|é|:|：|=|—|-)){0,2}\s{0,2}(?:["'`]|「|“|『){0,2}([!#-&(-;=?-\[\]-_a-z|~]{6,64})"#)
        .exact_case()
        .judge(Judge::BareValue)
        .proof("数据库密码是 {a12}7 请保密", "密码是 password 字段"),

    // Connection strings and files with formats of their own.
    Entry::context("secret", &["login "], r"login\s+\S+\s+(password)\s+(\S{6,200})")
        .judge(Judge::NamedValue)
        .proof("machine api login alice password {a20}", "login form password field"),
    Entry::context("secret", &["password=", "pwd="], r#"(?i)(password|pwd)=([^;\s"'`]{4,200});"#)
        .judge(Judge::NamedValue)
        .proof("Server=db;User Id=sa;Password={p12};", "password=$PASSWORD;"),
    Entry::context("secret", &[":5432:", ":5433:", ":6432:", ":*:"], r"[\w.*-]{1,80}:(?:54\d\d|6432|\*):[\w.*-]{1,64}:[\w.*@-]{1,64}:([^\s:]{4,200})")
        .before(80)
        .judge(Judge::NamedValue)
        .proof("db.acme.example:5432:shop:alice:{p14}", "localhost:5432:shop:alice"),
    Entry::context("secret", &["psk=", "psk =", "PSK \"", "psk:"], r#"(?i)psk\s{0,2}[:=]?\s{0,2}["']?([^\s"']{8,64})"#)
        .judge(Judge::NamedValue)
        .proof("ssid=\"home\"\npsk=\"{p14}\"", "psk=$PSK"),
    Entry::context("secret", &["WIFI:"], r"WIFI:(?:[STH]:[^;\n]{0,64};){0,3}P:([^;\n]{4,64});")
        .exact_case()
        .proof("WIFI:S:home;T:WPA;P:{p12};;", "WIFI:S:home;;"),
    Entry::context("docker-auth", &["\"auth\""], r#""auth\\*"\s*:\s*\\*"([A-Za-z0-9+/]{12,}={0,2})\\*""#)
        .entropy(3.0)
        .proof(r#""auth": "{b40}""#, r#""auth": "oauth2""#),
];

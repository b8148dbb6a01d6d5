//! Secrets that a name, a header, a URL, a command or the structure around them gives away.

use super::finders;
use super::judge::Judge;
use super::rule::{Basis, Rule};
use super::tables;

/// Inserts the names that mean a secret into a pattern.
macro_rules! named {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            "passw|passphrase|passcode|pwd|secret|token|api[_ -]?key|access[_-]?key|",
            "private[_-]?key|credential|encryption[_-]?key|signing[_-]?key|auth[_-]?key|",
            "account[_-]?key|master[_-]?key|preshared[_-]?key|subscription-key|_pass",
            $after
        )
    };
}

/// Parts of such names, case-insensitive.
#[rustfmt::skip]
const SECRET_NAMES: &[&str] = &[
    "passw", "passphrase", "passcode", "pwd", "secret", "token", "apikey", "apiKey", "ApiKey",
    "APIKey", "api_key", "api-key", "api key", "API key", "Api-Key", "API-Key", "accesskey",
    "accessKey", "AccessKey", "access_key", "access-key", "private_key", "private-key",
    "privatekey", "privateKey", "PrivateKey", "credential", "encryption_key", "encryption-key",
    "encryptionKey", "signing_key", "signingKey", "auth_key", "authkey", "authKey", "account_key",
    "AccountKey", "master_key", "masterKey", "PresharedKey", "preshared_key", "Subscription-Key",
    "_pass",
];

/// Parts of the names of environment variables.
#[rustfmt::skip]
const SECRET_VARIABLES: &[&str] = &[
    "PASSW", "PASSPHRASE", "PASSCODE", "_PWD", "SECRET", "TOKEN", "APIKEY", "API_KEY", "ACCESS_KEY",
    "PRIVATE_KEY", "CREDENTIAL", "ENCRYPTION_KEY", "SIGNING_KEY", "AUTH_KEY", "ACCOUNT_KEY",
    "MASTER_KEY", "_PASS", "APP_KEY", "_PSK",
];

#[rustfmt::skip]
pub(super) const CONTEXTS: &[Rule] = &[
    // Passwords and opaque tokens that a name, a header or a URL gives away.
    // URLs.
    Rule::context("url-password", &["://"], r#"://[^\s/:@"'`<>\\]{0,100}:([^\s/@"'`<>\\]{3,200})@[\w\[]"#)
        .judge(Judge::NamedValue)
        .proof("postgres://shop:{a18}@db:5432/shop", "http://[::1]:8080/@me"),
    Rule::context("url-password", &[":\\/\\/"], r#":\\+/\\+/[^\s/:@"'`<>\\]{0,100}:([^\s/@"'`<>\\]{3,200})@[\w\[]"#)
        .judge(Judge::NamedValue)
        .proof(r"postgres:\/\/shop:{a18}@db:5432\/shop", r"http:\/\/db:5432\/shop@1"),
    Rule::context("url-password", &["://"], r"://()([\w-]{20,200})@[\w\[]")
        .judge(Judge::RandomValue)
        .proof("git clone https://{h40}@github.com/acme/shop", "https://the-name-of-the-first-user@host"),
    Rule::context("url-password", &["@tcp(", "@unix("], r#"[\w.$-]{1,64}:([^\s/@"'`<>\\]{3,100})@(?:tcp|unix)\("#)
        .before(170)
        .judge(Judge::NamedValue)
        .proof("shop:{a18}@tcp(db:3306)/shop", "$USER:$PASS@tcp(db:3306)/shop"),
    Rule::context("url-password", &["jdbc:oracle:thin:"], r"jdbc:oracle:thin:[\w.$#-]{1,64}/([^\s/@]{3,200})@")
        .proof("jdbc:oracle:thin:shop/{a12}@db:1521:xe", "jdbc:oracle:thin:@db:1521:xe"),
    Rule::context("url-token", &["?code=", "&code=", "?key=", "&key=", "?sig=", "&sig=", "&signature=", "?signature=", "?auth=", "&auth=", "&assertion=", "code_verifier=", "&hmac=", "?hmac="], r#"(?:[?&]|\b)(key|code|sig|signature|auth|hmac|assertion|code_verifier)=([^&\s"'`<>#\\]{16,})"#)
        .judge(Judge::RandomValue)
        .proof("https://app.acme.example/cb?code={a32}&state=x", "https://x/?key=the-name-of-the-file.txt"),
    Rule::context("secret", &["?pass=", "&pass=", "?pw=", "&pw="], r#"[?&](pass|pw)=([^&\s"'`<>#\\]{6,})"#)
        .judge(Judge::BareValue)
        .proof("http://cam/?user=a&pass={a9}7&x=1", "/login?pass=correct&x=1"),

    // Headers.
    Rule::context("authorization", &["authorization"], r#"(?i)authorization\\*["']?\s{0,4}[:=,]\s{0,4}[\\"'`{]{0,4}(bearer|token|bot|basic|apikey|digest|geniekey|splunk|sharedkey|hmac|key|jwt|oauth|negotiate)\s+(?:token=|key=)?\\*["']?([\w.~+/=:-]{8,})"#)
        .judge(Judge::NamedValue)
        .proof("Authorization: Basic {b32}=", "Authorization: Bearer $TOKEN"),
    Rule::context("authorization", &["authorization"], r#"(?i)(authorization)\\*["']?\s{0,4}[:=,]\s{0,4}[\\"'`]{0,4}([\w.~+/=:-]{20,})"#)
        .judge(Judge::RandomValue)
        .proof("'Authorization': '{a32}7'", "authorization: required-for-all-requests"),
    Rule::context("bearer-token", &["bearer "], r"(?i)\bbearer ([\w.~+/-]{20,}=*)")
        .entropy(3.5)
        .judge(Judge::BareValue)
        .proof("Bearer {a40}", "bearer authentication-is-required"),

    Rule::context("url-token", &["token=", "secret=", "password=", "api_key=", "apikey="], r#"(token|secret|password|api_?key)=([^&\s"'`<>#\\]{8,})&"#)
        .judge(Judge::BareValue)
        .proof("https://x/reset?token=7{a32}&email=a@acme.example", "https://x/?token=required&x=1"),

    // NAME=value, "name": "value", name: value.
    Rule::context("secret", &["_pw=", "_pw:", "_pw\"", "_pw'", "_pw ", "Pw="], r#"(?i)_?(pw)\\*["']?\s{0,4}[:=]\s{0,4}\\*["']?([^\s"'`\\<]{6,})"#)
        .judge(Judge::NamedValue)
        .proof("LDAP_BIND_PW=7{a14}", "LDAP_BIND_PW=$PW"),
    // Settings with a blank between name and value, alone on a line: requirepass …, password   …
    Rule::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})[ \t]{1,40}["']?([^\s"'`\\<>(){}\[\],]{10,})["']?;?[ \t]*(?:\r?\n|$)"#))
        .after_name(b" \t")
        .judge(Judge::RandomValue)
        .proof("password           7{a19}\nusername           app\n", "password           required-unless-token\n"),
    // retrying with token …
    Rule::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})[ \t]["'`]?([\w+/=~-]{20,})(?:[\s"'`,;)]|$)"#))
        .after_name(b" ")
        .judge(Judge::RandomValue)
        .proof("[WARN] retrying with token 7{a39} (attempt 2)", "[WARN] the token authentication-is-required (attempt 2)"),
    Rule::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})[ \t]{1,3}\\*["']([^\s"'`\\<>]{8,})\\*["']"#))
        .after_name(b" \t")
        .judge(Judge::BareValue)
        .proof("(setq smtpmail-password \"7{a14}\")", "(setq auth-token-header \"X-Token\")"),
    Rule::context("secret", &["requirepass ", "auth-pass "], r#"(?:requirepass|auth-pass [\w.-]{1,64})[ \t]{1,8}["']?([^\s"']{6,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("requirepass {a32}", "requirepass $REDIS_PASSWORD"),
    Rule::context("secret", &["snmp-server community ", "rocommunity ", "rwcommunity "], r"(?:snmp-server community|r[ow]community) (\S{6,64})")
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("snmp-server community {a16} RO", "snmp-server community $NAME RO"),
    Rule::context("secret", &["define("], r#"define\(\s{0,4}["'](\w{0,40}(?:KEY|SALT|PASSWORD|SECRET|TOKEN))["']\s{0,4},\s{0,20}["']([^"'\n]{12,200})["']"#)
        .exact_case()
        .judge(Judge::RandomValue)
        .proof("define( 'AUTH_SALT',        '7{a30} {a30}' );", "define('LOGIN_TOKEN', 'the token of the login');"),
    Rule::context("secret", SECRET_VARIABLES, r#"((?:PASSW|PASSPHRASE|PASSCODE|_PWD|SECRET|TOKEN|APIKEY|API_KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIAL|ENCRYPTION_KEY|SIGNING_KEY|AUTH_KEY|ACCOUNT_KEY|MASTER_KEY|_PASS|APP_KEY|_PSK)[A-Z0-9_]{0,30})=\\*["']?((?:[^\s"'`<\\]|\\[^nrt"'`<\\]){6,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("DB_PASSWORD={p16}", "DB_PASSWORD=${DB_PASSWORD}"),
    Rule::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})(?:\\*["'`]|\*\*)?\]?(?:\s{0,2}(?::\s{0,2}&?| As )\w{1,16})?\s{0,16}(?:=>|:=|\|\||\?\?|={2,3}|[:=])(?:\*\*)?\s{0,16}(?:!!\w{1,9}\s|string\(\d{1,4}\)\s|(?:\[\]byte|bytes|String::from|Buffer\.from|Some|str)\()?[bfruN@$]{0,2}\\*["'`]{1,3}((?:[^\s"'`\\]|\\[^nrt"'`\\]){6,})\\*["'`]"#))
        .after_name(b"\"'`\\] \t\n:=|?*")
        .judge(Judge::NamedValue)
        .proof(r#"{"password": "{p14}"}"#, r#"password: "required""#),
    Rule::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})(?:\\*["']?|\*\*)\]?[ \t]{0,16}(?:[:=]|=>|:=)(?:\*\*)?(?:\s{0,2}|[ \t]{0,20}|[ \t]?[|>][+-]?\s{1,20}|\r?\n[ \t]{1,20}|[ \t]!!?\w{1,9}[ \t])([\w!#%*+/=~@^&.,$?-]{6,})(?:[\s"'`\\;&)<\]}|]|$)"#))
        .after_name(b"\"'\\] \t:=*")
        .judge(Judge::BareValue)
        .proof("  password: {a13}7", "token = self.next_token()"),
    Rule::context("secret", &["pass:", "pass=", "pass\"", "pass'", "pass :", "pass ="], r#"(?i)(pass)\\*["']?\s{0,4}(?:=>|[:=])\s{0,4}\\*["'`]((?:[^\s"'`\\]|\\[^nrt"'`\\]){6,})\\*["'`]"#)
        .judge(Judge::NamedValue)
        .proof("auth: { user: 'ci', pass: '{p14}' }", "{ pass: 'string' }"),
    Rule::context("secret", &["pass:", "pass=", "pass :", "pass =", "pass is ", "pw:", "pw=", "pw :", "pw ="], r#"(?i)(pass|\bpw)(?:\s{0,4}[:=]\s{0,4}| is )([\w!#%*+/=~@^&.,$?-]{6,})(?:[\s"'`\\;&)]|$)"#)
        .judge(Judge::BareValue)
        .proof("pass = {a14}7\n", "tests that pass: everything"),

    // Names that end in `key` mostly do not mean a secret: the value has to look random.
    Rule::context("secret", &["_key", "-key", ".key"], r#"(?i)([_.-]key)\\*["']?\]?\s{0,4}(?:=>|:=|[:=])\s{0,4}\\*["'`]?([\w+/=:.~-]{20,})(?:[\s"'`\\;&),<\]}]|$)"#)
        .judge(Judge::RandomValue)
        .proof("JWT_KEY={h32}", "CACHE_KEY=deps-{h40}"),
    Rule::context("secret", &["Key:", "Key=", "Key\"", "Key'", "Key =", "Key :", "Key\\"], r#"(Key)\\*["']?\]?\s{0,4}(?:=>|:=|[:=])\s{0,4}\\*["'`]?([\w+/=:.~-]{20,})(?:[\s"'`\\;&),<\]}]|$)"#)
        .exact_case()
        .judge(Judge::RandomValue)
        .proof("\"hmacKey\": \"{b43}=\"", "\"publicKey\": \"{b43}=\""),

    // Forms, key stores and routers: name="password", a blank line, the value; storePassword '…'; password 0 …
    Rule::context("secret", &["name=\"passw", "name=\"pwd", "name=\"secret", "name=\"token", "name=\"api"], r#"(?i)name="([\w.-]{1,60})"\s{0,4}\r?\n\s{0,2}\r?\n([^\s"<>]{6,512})\r?\n"#)
        .judge(Judge::NamedValue)
        .proof("Content-Disposition: form-data; name=\"password\"\r\n\r\n{a16}\r\n--x", "name=\"password\"\r\nrequired\r\n"),
    Rule::context("secret", &["storePassword ", "keyPassword ", "keystorePassword "], r#"(\w+Password)\s{1,4}["']([^\s"'\\]{6,})["']"#)
        .judge(Judge::NamedValue)
        .proof("storePassword '{a16}'", "storePassword project.password"),
    Rule::context("secret", &["password 0 ", "password 7 ", "secret 0 ", "secret 5 "], r"(password|secret) [057] (\S{6,})")
        .judge(Judge::NamedValue)
        .proof("username bob password 0 {a16}", "the password 0 times"),
    // One-time codes and their seeds.
    Rule::context("recovery-codes", &["recovery code", "backup code", "scratch code", "Recovery Code", "Backup Code"], r"(?i)(?:recovery|backup|scratch) codes?[^\n]{0,80}\n()((?:[ \t>*\d.)-]{0,8}[a-z0-9]{4,10}(?:[ -][a-z0-9]{4,10}){0,3}[ \t]*(?:\r?\n|$)){2,20})")
        .judge(Judge::RandomValue)
        .proof("Recovery codes:\n  7{h4}-{h5}\n  {h5}-{h5}\n  {h5}-{h5}\n", "Recovery codes\nkeep these in a safe place\nand away from others\n"),
    Rule::context("secret", &["totp", "2fa", "otp ", "mfa"], r#"(?i)(?:totp|2fa|otp|mfa)[ _-]{0,2}(?:seed|secret|key)?[^\n:=]{0,20}[:=]\s{0,3}["']?()([A-Z2-7]{16,64})\b"#)
        .judge(Judge::RandomValue)
        .proof("TOTP seed (base32): {t31}7", "TOTP seed: STOREDINTHEVAULTOFTHETEAM"),
    // What a command that prints a secret printed.
    Rule::context("secret", &["wg genkey", "wg genpsk", "openssl rand", "pwgen ", "/dev/urandom", "rails secret", "terraform output -raw", "secrets versions access", "op read ", "pass show ", "base64 -d", "base64 --decode", "base64 -D", "get-secret-value ", "vault kv get ", "auth token", "print-access-token"], r#"(?:wg gen(?:key|psk)|openssl rand|pwgen|/dev/urandom|rails secret|terraform output -raw|secrets versions access|op read|pass show|base64 (?:-d|-D|--decode)|get-secret-value|vault kv get|auth token|print-access-token)[^\n]{0,200}\n()([^\s"'`<>]{8,512})(?:\s|$)"#)
        .judge(Judge::RandomValue)
        .proof("$ op read op://vault/db/password\n{a20}\n", "$ base64 -d file.b64 > out\nls -la"),

    // Prompts, and sentences that state the secret.
    Rule::context("secret", &["password for", "passphrase for", "passcode for"], r#"(?i)(pass(?:word|phrase|code)) for [^\n:]{1,80}:[ \t]{1,3}([^\s"'`\\<>{}]{6,})"#)
        .judge(Judge::BareValue)
        .proof("[sudo] password for bob: {a12}7", "[sudo] password for bob: Sorry, try again."),
    Rule::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})["'`*]{0,3}(?: (?:[\w@.'-]|’){1,24}){0,4}? (?:is|was|are|ist|lautet|to)(?: now| still| set to)?:?[ \t]{1,2}(?:["'`*]|“){0,3}([^\s"'`\\<>{}()\[\];]{6,})"#))
        .after_name(b"\"'`* ")
        .judge(Judge::BareValue)
        .proof("the password for the router is {a12}7 now", "the token is base64 encoded"),
    Rule::context("secret", &["密码", "密碼", "口令", "密钥", "令牌", "パスワード", "пароль", "Пароль", "비밀번호", "contraseña", "mot de passe", "senha", "kennwort", "wachtwoord", "lösenord", "adgangskode", "salasana", "hasło", "heslo", "parola"], r#"(?i)(?:密码|密碼|口令|密钥|令牌|パスワード|пароль|Пароль|비밀번호|contraseña|mot de passe|senha|kennwort|wachtwoord|lösenord|adgangskode|salasana|hasło|heslo|parola)(?:\s?(?:是|为|為|は|ist|lautet|es|est|é|:|：|=|—|-)){0,2}\s{0,2}(?:["'`]|「|“|『){0,2}([!#-&(-;=?-\[\]-_a-z|~]{6,64})"#)
        .judge(Judge::BareValue)
        .proof("数据库密码是 {a12}7 请保密", "密码是 password 字段"),

    // Connection strings and files with formats of their own.
    Rule::context("secret", &["login "], r"login\s+\S+\s+(password)\s+(\S{6,200})")
        .judge(Judge::NamedValue)
        .proof("machine api login alice password {a20}", "login form password field"),
    Rule::context("secret", &["password=", "pwd="], r#"(?i)(password|pwd)=([^;\s"'`]{4,200});"#)
        .judge(Judge::NamedValue)
        .proof("Server=db;User Id=sa;Password={p12};", "password=$PASSWORD;"),
    Rule::context("secret", &[":5432:", ":5433:", ":6432:", ":*:"], r"[\w.*-]{1,80}:(?:54\d\d|6432|\*):[\w.*-]{1,64}:[\w.*@-]{1,64}:([^\s:]{4,200})")
        .before(80)
        .judge(Judge::NamedValue)
        .proof("db.acme.example:5432:shop:alice:{p14}", "localhost:5432:shop:alice"),
    Rule::context("secret", &["psk=", "psk =", "PSK \"", "psk:"], r#"(?i)psk\s{0,2}[:=]?\s{0,2}["']?([^\s"']{8,64})"#)
        .judge(Judge::NamedValue)
        .proof("ssid=\"home\"\npsk=\"{p14}\"", "psk=$PSK"),
    Rule::context("secret", &["WIFI:"], r"WIFI:(?:[STH]:[^;\n]{0,64};){0,3}P:([^;\n]{4,64});")
        .exact_case()
        .proof("WIFI:S:home;T:WPA;P:{p12};;", "WIFI:S:home;;"),
    Rule::context("docker-auth", &["\"auth\""], r#""auth\\*"\s*:\s*\\*"([A-Za-z0-9+/]{12,}={0,2})\\*""#)
        .entropy(3.0)
        .proof(r#""auth": "{b40}""#, r#""auth": "oauth2""#),

    // Secrets in markup, tables, manifests and configuration that have their own way of naming them.
    // <password>…</password>
    Rule::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})(?:\s\w[\w:-]*=[^<>]{0,200})?>\s{0,4}(?:<!\[CDATA\[)?([^<>\s]{6,512})(?:\]\]>)?\s{0,4}<\\*/"#))
        .after_name(b"> ")
        .judge(Judge::NamedValue)
        .proof("<server><password>{p14}</password></server>", "<password>${env.PASSWORD}</password>"),
    // <string name="api_key">…</string>, <key>password</key><string>…</string>
    Rule::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})(?:\\*["'][^<>]{0,40}>|</key>\s{0,40}<string>|</name>\s{0,40}<value>)\s{0,4}([^<>\s]{6,512})\s{0,4}<"#))
        .after_name(b"\"'\\<")
        .judge(Judge::BareValue)
        .proof("<string name=\"api_key\">{a30}7</string>", "<label for=\"password\">Password</label>"),
    // name: DB_PASSWORD, value: …; "db_password": {"value": "…"}; variable "db_password" { default = "…" }
    Rule::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})\\*["']?\s{0,4}(?:[:=,]\s{0,40}|\\n\s{0,24}|\s{1,40})?\{?[\s]{0,24}(?:\\*["']?(?:type|description|sensitive|version)\\*["']?\s{0,8}[:=]\s{0,8}[^\n{}]{0,80}[\n,]\s{0,24}){0,3}\\*["']?(?:value|default|content|secret_?string)\\*["']?\s{0,8}[:=]\s{0,8}\\*["']?([^\s"'`\\<>,;]{6,512})"#))
        .after_name(b"\"'\\ \t\n:=,{")
        .judge(Judge::NamedValue)
        .proof("variable \"db_password\" {\n  type    = string\n  default = \"{p14}\"\n}", "variable \"db_password\" {\n  type = string\n  sensitive = true\n}"),
    // | JWT_SECRET | … |
    Rule::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})["'`*]{0,3}\s{0,40}\\?(?:\||│)\s{0,20}["'`*]{0,3}([^\s"'`|\\]{8,512})["'`*]{0,3}\s{0,60}(?:\||│|\n)"#))
        .after_name(b"\"'`* \t|\\\xe2")
        .judge(Judge::BareValue)
        .proof("| JWT_SECRET | {a31}7 |", "| `password` | string | required |"),
    // define('DB_PASSWORD', '…'), setProperty("password", "…"), .password("…")
    Rule::context("secret", SECRET_NAMES, named!(r"(?i)((?:", r#")[\w.-]{0,30})(?:\\*["'`]\s{0,2},\s{0,16}|\()\\*["'`]((?:[^\s"'`\\]|\\[^nrt"'`\\]){6,})\\*["'`]\s{0,2}(?:[);]|\n|$)"#))
        .after_name(b"\"'`\\(")
        .judge(Judge::BareValue)
        .proof("define('DB_PASSWORD', '{a13}7');", "form.get('password', 'required')"),
    Rule::found_by("cookie", Basis::Context, &["Cookie", "cookie", "COOKIE", " -b "], finders::cookies)
        .proof("Cookie: theme=dark; sessionid={a32}", "Set-Cookie: theme=dark; Path=/"),
    Rule::context("cookie", &["PHPSESSID", "JSESSIONID", "connect.sid", "ASP.NET_SessionId", "laravel_session", "csrftoken", "sessionid="], r#"(?:PHPSESSID|JSESSIONID|connect\.sid|ASP\.NET_SessionId|laravel_session|csrftoken|sessionid)\\*["']?\s{0,2}[:=]\s{0,2}\\*["']?([\w%.+/=~-]{16,})"#)
        .exact_case()
        .judge(Judge::RandomValue)
        .proof("PHPSESSID={h26}", "PHPSESSID=deleted"),
    Rule::found_by("kubernetes-secret", Basis::Context, &["kind: Secret", "kind: \"Secret\"", "\"kind\": \"Secret\"", "\"kind\":\"Secret\""], finders::secret_data)
        .proof("apiVersion: v1\nkind: Secret\ndata:\n  pin: {b16}\n", "kind: Secret\nmetadata:\n  name: {a16}\n"),
    Rule::context("app-password", &["app password", "app-specific password", "application password", "app_password"], r#"(?i)app(?:lication|-specific)?[ _-]password["'`*]{0,3}\s{0,3}(?:is\s)?[:=]?\s{0,3}["'`]?([a-z]{4}(?:[ -][a-z]{4}){3})\b"#)
        .proof("Gmail app password: {l4} {l4} {l4} {l4}", "an app password has four groups"),

    // Passwords and tokens as arguments of commands and functions.
    Rule::context("secret", &["-pass", "-token", "-secret", "-api-key", "-apikey", "-access-key", "-auth", "-credential", "-Pass", "-Token", "-Secret", "-ApiKey"], r#"(?i)[\s"'`\[(-]-(?:-?[a-z][\w-]{0,40}?)?((?:pass|token|secret|api-?key|access-key|auth|credential)[\w-]{0,20})(?:["']?,?[ =]\s{0,2}|\s{1,3}\\\s{0,20})\\*["']?([^\s"'`]{6,})"#)
        .before(44)
        .judge(Judge::BareValue)
        .proof("tool --private-key-passphrase 7{a15} --host db", "tool --password-stdin --host db"),
    Rule::command(&["curl ", "wget "], "-u --user -U --proxy-user", ":")
        .proof("curl -s -u alice:{a14} https://acme.example", "curl -u $USER:$PASS https://acme.example"),
    Rule::command(&["http ", "https "], "-a --auth", ":")
        .proof("http -a alice:{a14} acme.example", "http POST acme.example a=b"),
    Rule::command(&["etcdctl ", "influx "], "--user -u", ":")
        .proof("etcdctl --user root:{a14} get x", "etcdctl --user root get x"),
    Rule::command(&["skopeo ", "podman ", "buildah "], "--creds --src-creds --dest-creds", ":")
        .proof("skopeo copy --src-creds bob:{a14} docker://a dir:b", "skopeo copy docker://a dir:b"),
    Rule::command(&["lftp ", "open -u"], "-u --user", ",:")
        .proof("open -u bob,{a14} sftp://host", "open -u bob sftp://host"),
    Rule::command(&["smbclient ", "rpcclient ", "net rpc "], "-U --user", "%")
        .proof("smbclient //nas/x -U alice%{a12}", "smbclient //nas/x -U alice"),
    Rule::command(&["mysql ", "mysqldump ", "mysqladmin ", "mysqlimport ", "mysqlcheck ", "mysqlsh ", "mariadb ", "mariadb-dump "], "-p*", "")
        .proof("mysql -u root -p{a12} shop", "mysql -u root -p shop"),
    Rule::command(&["docker login", "podman login", "az login", "registry login", "acr login", "oc login", "cf login", "twine upload", "mongosh ", "mongodump ", "mongorestore ", "mongo "], "-p", "")
        .proof("docker login -u acme -p {a14} registry", "docker login -u acme -p $PASS registry"),
    Rule::command(&["mosquitto_pub ", "mosquitto_sub ", "sqlcmd ", "bcp ", "ipmitool ", "zip ", "unzip "], "-P", "")
        .proof("sqlcmd -S host -U sa -P {a14}", "ipmitool -H host -U ADMIN power status"),
    Rule::command(&["sshpass "], "-p", "")
        .proof("sshpass -p '{p12}' ssh bob@host", "sshpass -p \"$PASS\" ssh bob@host"),
    Rule::command(&["plink ", "pscp ", "psftp "], "-pw", "")
        .proof("plink -pw {a14} host", "plink -P 22 host"),
    Rule::command(&["xfreerdp", "mstsc "], "/p:*", "")
        .proof("xfreerdp /u:bob /p:{a14} /v:host", "xfreerdp /u:bob /v:host"),
    Rule::command(&["nmcli "], "password", "")
        .proof("nmcli dev wifi connect home password {a14}", "nmcli dev wifi connect home"),
    Rule::command(&["redis-cli "], "-a --pass", "")
        .proof("redis-cli -h cache -a {a14} ping", "redis-cli -h cache ping"),
    Rule::command(&["ldapsearch ", "ldapadd ", "ldapmodify ", "ldappasswd ", "ldapwhoami "], "-w", "")
        .proof("ldapsearch -x -D cn=admin -w {a12} -b dc=acme", "ldapsearch -x -D cn=admin -W"),
    Rule::command(&["openssl "], "pass:*", "")
        .proof("openssl rsa -in k.pem -passin pass:{a12}", "openssl rsa -passin pass:$PASS"),
    Rule::command(&["keytool ", "jarsigner ", "apksigner "], "-storepass -keypass -srcstorepass -deststorepass -new", "")
        .proof("keytool -list -storepass {a12}", "keytool -storepass $PASS"),
    Rule::command(&["7z ", "7za ", "unrar ", "rar "], "-p*", "")
        .proof("7z a -p{a12} out.7z dir", "7z a out.7z dir"),
    Rule::context("secret", &["-u "], r#"\s(-u) ["']?[^\s:"'`]{1,64}:([^\s"'`]{8,200})"#)
        .exact_case()
        .before(1)
        .judge(Judge::BareValue)
        .proof("tool -u alice:7{a15} host", "docker run -u 1000:1000 image"),
    Rule::context("secret", &["htpasswd -"], r#"htpasswd\s+-\w*b\w*\s+(?:-\w+\s+)*(?:[^\s|<>&;]+\s+){1,2}\\*["']?([^\s"'`\\|<>&;]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("htpasswd -bc .htpasswd alice {a12}", "htpasswd -c .htpasswd alice"),
    Rule::context("secret", &["chpasswd"], r#"chpasswd\s{0,2}<<<\s{0,2}\\*["']?[\w.-]{1,32}:([^\s"'`]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("chpasswd <<< 'deploy:{a12}'", "chpasswd <<< \"$LOGIN\""),
    // Commands whose arguments end with the secret.
    Rule::context("secret", &["rclone obscure ", "add_user ", "change_password "], r#"(?:rclone obscure|(?:add_user|change_password)\s+[\w.@-]{1,64})\s+\\*["']?([^\s"'`\\|<>;-][^\s"'`\\|<>;]{5,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("rabbitmqctl add_user orders '{a14}'", "rabbitmqctl add_user orders \"$PW\""),
    Rule::context("secret", &["SecureString"], r#"SecureString[^\n]{0,200}?--value[ =]\s{0,2}\\*["']?([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("aws ssm put-parameter --name /db --type SecureString --value '{a14}'", "aws ssm put-parameter --type SecureString --value \"$PW\""),
    Rule::context("secret", &["chpasswd"], r#"echo\s+(?:-\w\s+)?\\*["']?[\w.-]{1,32}:([^\s"'`|]{4,})\\*["']?\s*\|\s*(?:sudo\s+)?chpasswd"#)
        .exact_case()
        .before(120)
        .judge(Judge::NamedValue)
        .proof("echo 'root:{a12}' | chpasswd", "echo \"root:$PW\" | chpasswd"),
    Rule::context("secret", &["sudo -S", "--password-stdin", "--with-token"], r#"(?:echo|printf)\s+(?:-\w\s+)?\\*["']?([^\s"'`|]{4,})\\*["']?\s*\|[^\n|]{0,120}?(?:sudo -S|--password-stdin|--with-token)"#)
        .exact_case()
        .before(240)
        .judge(Judge::NamedValue)
        .proof("echo {a14} | docker login -u acme --password-stdin", "echo $TOKEN | docker login --password-stdin"),
    Rule::context("secret", &["net user ", "net use "], r#"(?i)net (?:user\s+[\w.-]{1,32}|use\s[^\n]{0,80}/user:\S{1,64}|use\s+\S{1,40}\s+\\\\\S{1,80})\s+([^\s/"']{6,64})"#)
        .exact_case()
        .judge(Judge::BareValue)
        .proof("net user bob {a10}7 /add", "net user bob /delete"),
    Rule::context("secret", &["--from-literal"], r#"--from-literal[= ]\\*["']?[\w.-]{1,64}=\\*["']?([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("kubectl create secret generic x --from-literal=pin={a12}", "kubectl create secret generic x --from-literal=pin=$PIN"),
    Rule::context("secret", &["vault login ", "cargo login ", "wandb login ", "authtoken ", "snyk auth ", "netlify login ", "auth login "], r"(?:(?:vault|cargo|wandb|netlify) login|authtoken|snyk auth|auth login)\s+(?:--?\w+[ =])?([\w.-]{16,})")
        .exact_case()
        .judge(Judge::RandomValue)
        .proof("ngrok config add-authtoken {a27}_{a21}", "vault login -method=userpass username=alice"),
    Rule::context("secret", &["ENV ", "ARG ", "#define ", "setenv ", "setx ", "set -x ", "set -gx ", "set -Ux ", "env set ", "secret set ", "secrets set ", "config set ", "configure set ", "env add "], named!(r"(?:ENV|ARG|#define|setenv|setx|set -\w+|(?:env|secrets?|config(?:ure)?) (?:set|add))\s+(?i)[\w./:-]{0,40}?((?:", r#")[\w.-]{0,30})\s+(?:--body\s+|-b\s+|--value\s+)?\\*["']?([^\s"'`\\=]{6,})"#))
        .exact_case()
        .judge(Judge::BareValue)
        .proof("ENV DB_PASSWORD {a12}7", "ARG API_KEY"),
    Rule::context("secret", &["assword"], r#"assword[:*?]{0,3}\\*["'}]\s{0,4}(?:\{\s{0,8})?[;\s]{0,8}send\s+(?:--\s+)?\\*["']([^"'\\$\s]{4,})\\+[rn]"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("expect \"password:\"\nsend \"{a12}\\r\"", "expect \"password:\"\nsend \"$PASS\\r\""),
    Rule::context("secret", &["ConvertTo-SecureString"], r#"ConvertTo-SecureString\s+(?:-String\s+)?\\*["']([^"'\s]{4,})["']"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("ConvertTo-SecureString '{p12}' -AsPlainText -Force", "ConvertTo-SecureString $x"),
    Rule::context("secret", &["sqlplus "], r#"sqlplus\s+(?:-\w+\s+)*\\*["']?[\w.$#]{1,64}/([^\s@/"'`]{3,64})@"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("sqlplus shop/{a12}@db:1521/xe", "sqlplus / as sysdba"),

    // Queries and functions.
    Rule::context("secret", &["identified by", "identified with"], r#"(?i)identified\s+(?:with\s+\S{1,40}\s+)?by\s+(?:password\s+)?\\*["']([^"'\s\\]{4,})\\*["']"#)
        .judge(Judge::NamedValue)
        .proof("CREATE USER shop@'%' IDENTIFIED BY '{p14}';", "identified by name"),
    Rule::context("secret", &["password '", "password E'", "password \\'"], r"(?i)(?:with|encrypted|user\s+\S{1,64}|role\s+\S{1,64}|login)\s+(password)\s+E?\\*'([^'\s\\]{4,})\\*'")
        .before(80)
        .judge(Judge::NamedValue)
        .proof("ALTER ROLE shop WITH PASSWORD '{p14}';", "the password 'is' checked"),
    Rule::context("secret", &["auth=(", "auth = (", "basic_auth(", "BasicAuth(", "basicAuth(", "BasicAuthHandler(", ".login("], r#"(?i)(?:auth\s?=\s?\(|auth\(|authhandler\(|\.login\()\s{0,4}["'][^"'\n]{1,80}["']\s{0,2},\s{0,4}(?:Some\()?["']([^"'\s\\]{6,})["']"#)
        .before(12)
        .judge(Judge::NamedValue)
        .proof("requests.get(u, auth=('alice', '{p14}'))", "requests.get(u, auth=('alice', 'password'))"),

    // Calls that take the secret at a known place: after a login, after a login and an address.
    Rule::context("secret", &["NetworkCredential(", "WiFi.begin(", "Twilio("], r#"(?:NetworkCredential|WiFi\.begin|Twilio)\(\s{0,4}["'][^"'\n]{1,80}["']\s{0,2},\s{0,4}["']([^"'\s\\]{6,})["']"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("new NetworkCredential(\"svc\", \"{p14}\", \"ACME\")", "new NetworkCredential(\"svc\", \"password\")"),
    Rule::context("secret", &["getConnection(", "new PDO(", "DBI->connect(", "sp_addlinkedsrvlogin"], r#"(?:getConnection\(|new PDO\(|DBI->connect\(|sp_addlinkedsrvlogin\s)\s{0,4}(?:["'][^"'\n]{1,200}["']|NULL|[\w.$]{1,60})\s{0,2},\s{0,4}(?:(?:["'][^"'\n]{0,80}["']|NULL|[\w.$]{1,60})\s{0,2},\s{0,4}){1,3}["']([^"'\s\\]{6,})["']\s{0,2}(?:[,);]|$)"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("DriverManager.getConnection(\"jdbc:mysql://db/shop\", \"app\", \"{p14}\")", "DriverManager.getConnection(url, \"app\", \"password\")"),
    Rule::context("secret", &["jwt.sign(", "jwt.verify(", "jwt.encode(", "jwt.decode("], r#"jwt\.(?:sign|verify|encode|decode)\([^"'`\n]{1,160}[,}]\s{0,4}["'`]()([^"'`\s\\]{10,})["'`]"#)
        .exact_case()
        .judge(Judge::RandomValue)
        .proof("jwt.sign({ sub: id }, '7{a39}', { expiresIn: '1h' })", "jwt.verify(token, 'the-public-key')"),

    // Columns of tables.
    Rule::found_by("secret", Basis::Context, SECRET_NAMES, tables::column)
        .any_case()
        .after_name(b"|\t,; \r\n\"'`*)<\xe2")
        .proof("| user | password |\n|---|---|\n| bob | {a18}7 |\n", "| user | password |\n|---|---|\n| text | required |\n"),
];

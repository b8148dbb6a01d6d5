//! Planted secrets that only their form gives away: columns of tables, options of programs, encoded
//! and joined texts. The text between `«` and `»` is the secret.

use super::Form::Plain;
use super::Place::{Argument, Diff, Output, Prompt, Reference};
use super::table::Row;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // Columns.
    ("column of psql", Output, Plain, " user | password \n------+----------\n bob  | «{a19}7»\n(1 row)"),
    ("column of mysql", Output, Plain, "+------+----------------------+\n| user | password             |\n+------+----------------------+\n| bob  | «{a19}7» |\n+------+----------------------+"),
    ("column of a Markdown table", Prompt, Plain, "| Service | API key | Owner |\n|---|---|---|\n| maps | `«{a31}7»` | bob |"),
    ("column of comma-separated values", Reference, Plain, "user,password,mail\nbob,«{a19}7»,bob@acme.example\n"),
    ("column in quotes", Reference, Plain, "\"user\",\"secret\"\n\"bob\",\"«{a19}7»\"\n"),
    ("column between tabs", Output, Plain, "user\tpassword\nbob\t«{a19}7»"),
    ("column between blanks", Output, Plain, "   user              password\n0   bob  «{a19}7»\n"),
    ("column of HTML", Output, Plain, "<tr><th>User</th><th>Password</th></tr><tr><td>bob</td><td>«{a19}7»</td></tr>"),
    ("AWS key in a column", Reference, Plain, "User name,Secret access key\nbob,«{b39}7»"),
    ("inserted column", Argument, Plain, "INSERT INTO users (name, password) VALUES ('bob', '«{a19}7»');"),
    // Options.
    ("user as the first option", Argument, Plain, "curl --user bob:«{a14}» https://acme.example"),
    ("user of a proxy", Argument, Plain, "curl -x http://proxy --proxy-user bob:«{a14}» https://acme.example"),
    ("user without a blank", Argument, Plain, "curl -ubob:«{a14}» https://acme.example"),
    ("aws configure", Argument, Plain, "aws configure set aws_secret_access_key «{a19}7»"),
    ("httpie", Argument, Plain, "http -a bob:«{a14}» https://acme.example"),
    ("skopeo", Argument, Plain, "skopeo copy --src-creds bob:«{a14}» docker://a dir:b"),
    ("etcdctl", Argument, Plain, "etcdctl --user root:«{a14}» get key"),
    ("lftp", Argument, Plain, "lftp -u bob,«{a14}» sftp://host"),
    ("sqlcmd", Argument, Plain, "sqlcmd -S host -U sa -P '«{a14}»' -Q 'select 1'"),
    ("ipmitool", Argument, Plain, "ipmitool -H host -U ADMIN -P «{a14}» power status"),
    ("plink", Argument, Plain, "plink -batch -pw «{a14}» bob@host"),
    ("xfreerdp", Argument, Plain, "xfreerdp /u:bob /p:«{a14}» /v:host"),
    ("nmcli", Argument, Plain, "nmcli dev wifi connect home password «{a14}»"),
    ("htpasswd without an extension", Argument, Plain, "htpasswd -bc users bob «{a14}»"),
    // Names beside the value.
    ("attribute of an element", Output, Plain, "<wsse:Password Type=\"x\">«{p16}»</wsse:Password>"),
    ("macro of C", Diff, Plain, "+#define API_KEY \"«{a31}7»\""),
    ("verbatim string", Diff, Plain, "+var password = @\"«{p16}»\";"),
    ("default after ||", Diff, Plain, "+const secret = process.env.JWT_SECRET || '«{p20}»';"),
    ("default after ??", Diff, Plain, "+const apiKey = process.env.API_KEY ?? '«{a32}»';"),
    ("Go data source", Diff, Plain, "+db, err := sql.Open(\"mysql\", \"root:«{a14}»@tcp(127.0.0.1:3306)/app\")"),
    ("token as a user", Argument, Plain, "git clone https://«{h40}»@github.com/acme/shop.git"),
    ("parameter store", Output, Plain, "\"Parameter\": {\"Name\": \"/prod/db/password\", \"Type\": \"SecureString\", \"Value\": \"«{a20}»\"}"),
    ("form in parts", Output, Plain, "Content-Disposition: form-data; name=\"password\"\r\n\r\n«{a16}»\r\n--x"),
    ("tagged YAML", Reference, Plain, "password: !!str «{a13}7\n»"),
    ("key store of Gradle", Reference, Plain, "storePassword '«{a16}»'"),
    ("router", Output, Plain, "username bob password 0 «{a16}»"),
    ("printed by a command", Output, Plain, "$ kubectl get secret x -o jsonpath='{.data.password}' | base64 -d\n«{a19}7»\n"),
    // Encoded and joined.
    ("environment in base64", Output, Plain, "data: «Rk9PPTEKR0lUSFVCX1RPS0VOPWdocF9hYmNkZWZHSElKS0xtbm9wcXJzdFVWV1hZWjAxMjM0NTY3ODkK» end"),
    ("password in base64", Output, Plain, "data: «eyJ1c2VybmFtZSI6InUiLCJwYXNzd29yZCI6InFXN3hLOXB2M1R6Mk1uNEJyOHkifQ==» end"),
    ("password in hexadecimal digits", Output, Plain, "data: «44425f50415353574f52443d715737784b39707633547a324d6e344272387931» end"),
    ("token in two literals", Diff, Plain, "+const t = \"«ghp_{a16}»\" + \"«{a20}»\";"),
    ("password in two literals", Diff, Plain, "+password = '«{a10}7»' + '«{a10}7»'"),
    ("token on two lines of a shell", Argument, Plain, "export T=«ghp_{a16}»\\\n«{a20}»"),
    ("token around a carriage return", Output, Plain, "x «ghp_{a16}»\r«{a20}» y"),
    ("token around invisible characters", Prompt, Plain, "x «ghp_{a12}»\u{AD}«{a12}»\u{2066}\u{FE0F}«{a12}» y"),
    ("token around a control of eight bits", Output, Plain, "x «ghp_{a16}»\u{9B}0m«{a20}» y"),
];

//! Passwords and tokens as arguments of commands and functions.

use super::names::named;
use crate::redact::rule::{Entry, Judge};

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::context("secret", &["-pass", "-token", "-secret", "-api-key", "-apikey", "-access-key", "-auth", "-credential", "-Pass", "-Token", "-Secret", "-ApiKey"], r#"(?i)[\s"'`\[(-]-((?:pass|token|secret|api-?key|access-key|auth|credential)[\w-]{0,20})(?:["']?,?[ =]\s{0,2}|\s{1,3}\\\s{0,20})\\*["']?([^\s"'`]{6,})"#)
        .before(1)
        .judge(Judge::BareValue)
        .proof("tool --password 7{a15} --host db", "tool --password-stdin --host db"),
    Entry::context("secret", &["mysql", "mariadb"], r#"(?:mysql|mariadb)[\w-]{0,8}\s(?:[^\n|;&<>]{0,160}?\s)?-p\\*["']?([^\s"'`\\]{0,32}[A-Za-z][^\s"'`\\]{3,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("mysql -u root -p{a12} shop", "mysql -u root -p shop"),
    Entry::context("secret", &["sshpass "], r#"sshpass\s+-p\s{0,2}\\*["']?([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("sshpass -p '{p12}' ssh bob@host", "sshpass -p \"$PASS\" ssh bob@host"),
    Entry::context("secret", &["docker login", "podman login", "az login", "registry login", "twine upload", "mongosh ", "mongodump ", "mongorestore ", "mongo ", "acr login", "oc login", "cf login", "mosquitto_pub ", "mosquitto_sub "], r#"(?:(?:docker|podman|az|registry|acr|oc|cf) login|twine upload|mongo\w*|mosquitto_\w+)\b[^\n|;]{0,200}?\s-(?:p|P)[ =]?\\*["']?([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("docker login -u acme -p {a14} registry", "docker login -u acme -p $PASS registry"),
    Entry::context("secret", &["redis-cli "], r#"redis-cli\s(?:[^\n|;]{0,120}?\s)?-a\s{0,2}\\*["']?([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("redis-cli -h cache -a {a14} ping", "redis-cli -h cache ping"),
    Entry::context("secret", &["ldapsearch ", "ldapadd ", "ldapmodify ", "ldappasswd ", "ldapwhoami "], r#"ldap\w+\s[^\n|;]{0,200}?\s-w\s{0,2}\\*["']?([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("ldapsearch -x -D cn=admin -w {a12} -b dc=acme", "ldapsearch -x -D cn=admin -W"),
    Entry::context("secret", &["smbclient ", "rpcclient ", "net rpc "], r#"(?:smbclient|rpcclient|net rpc)\s[^\n|;]{0,160}?-U\s{0,2}\\*["']?[^\s%"']{1,64}%([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("smbclient //nas/x -U alice%{a12}", "smbclient //nas/x -U alice"),
    Entry::context("secret", &["curl ", "http ", "https ", "lftp "], r#"(?:curl|https?|lftp)\s[^\n|;]{0,300}?(?:\s-u|\s--user|\s-a|\s--auth|\s--proxy-user|\s-U)[ =]?\\*["']?[^\s:,"'`]{1,64}[:,]([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("curl -s -u alice:{a14} https://acme.example", "curl -u $USER:$PASS https://acme.example"),
    Entry::context("secret", &["-u "], r#"\s(-u) ["']?[^\s:"'`]{1,64}:([^\s"'`]{8,200})"#)
        .exact_case()
        .before(1)
        .judge(Judge::BareValue)
        .proof("tool -u alice:7{a15} host", "docker run -u 1000:1000 image"),
    Entry::context("secret", &[" pass:"], r#"\spass:([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("openssl rsa -in k.pem -passin pass:{a12}", "openssl rsa -passin pass:$PASS"),
    Entry::context("secret", &["storepass", "keypass"], r#"(?:storepass|keypass)(?:word|wd)?\s+\\*["']?([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("keytool -list -storepass {a12}", "keytool -storepass $PASS"),
    Entry::context("secret", &["zip -P ", "zip -r -P ", "7z a -p", "7z x -p", "7za a -p", "unrar x -p"], r#"(?:zip(?: -r)? -P|7za? [ax] -p|unrar x -p)\s{0,2}\\*["']?([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("7z a -p{a12} out.7z dir", "7z a out.7z dir"),
    Entry::context("secret", &["htpasswd -"], r#"htpasswd\s+-\w*b\w*\s+(?:-\w+\s+)*(?:[\w./~-]*[./][\w./~-]*\s+)?[\w.@-]{1,64}\s+\\*["']?([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("htpasswd -bc .htpasswd alice {a12}", "htpasswd -c .htpasswd alice"),
    Entry::context("secret", &["chpasswd"], r#"echo\s+(?:-\w\s+)?\\*["']?[\w.-]{1,32}:([^\s"'`|]{4,})\\*["']?\s*\|\s*(?:sudo\s+)?chpasswd"#)
        .exact_case()
        .before(120)
        .judge(Judge::NamedValue)
        .proof("echo 'root:{a12}' | chpasswd", "echo \"root:$PW\" | chpasswd"),
    Entry::context("secret", &["sudo -S", "--password-stdin", "--with-token"], r#"(?:echo|printf)\s+(?:-\w\s+)?\\*["']?([^\s"'`|]{4,})\\*["']?\s*\|[^\n|]{0,120}?(?:sudo -S|--password-stdin|--with-token)"#)
        .exact_case()
        .before(240)
        .judge(Judge::NamedValue)
        .proof("echo {a14} | docker login -u acme --password-stdin", "echo $TOKEN | docker login --password-stdin"),
    Entry::context("secret", &["net user ", "net use "], r#"(?i)net (?:user\s+[\w.-]{1,32}|use\s[^\n]{0,80}/user:\S{1,64})\s+([^\s/"']{6,64})"#)
        .exact_case()
        .judge(Judge::BareValue)
        .proof("net user bob {a10}7 /add", "net user bob /delete"),
    Entry::context("secret", &["--from-literal"], r#"--from-literal[= ]\\*["']?[\w.-]{1,64}=\\*["']?([^\s"'`\\]{4,})"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("kubectl create secret generic x --from-literal=pin={a12}", "kubectl create secret generic x --from-literal=pin=$PIN"),
    Entry::context("secret", &["vault login ", "cargo login ", "wandb login ", "authtoken ", "snyk auth ", "netlify login ", "auth login "], r"(?:(?:vault|cargo|wandb|netlify) login|authtoken|snyk auth|auth login)\s+(?:--?\w+[ =])?([\w.-]{16,})")
        .exact_case()
        .judge(Judge::RandomValue)
        .proof("ngrok config add-authtoken {a27}_{a21}", "vault login -method=userpass username=alice"),
    Entry::context("secret", &["ENV ", "ARG ", "setenv ", "setx ", "set -x ", "set -gx ", "set -Ux ", "env set ", "secret set ", "secrets set ", "config set ", "env add "], named!(r"(?:ENV|ARG|setenv|setx|set -\w+|(?:env|secrets?|config) (?:set|add))\s+(?i)[\w./:-]{0,40}?((?:", r#")[\w.-]{0,30})\s+(?:--body\s+|-b\s+|--value\s+)?\\*["']?([^\s"'`\\=]{6,})"#))
        .exact_case()
        .judge(Judge::BareValue)
        .proof("ENV DB_PASSWORD {a12}7", "ARG API_KEY"),
    Entry::context("secret", &["assword"], r#"assword[:*?]{0,3}\\*["'}]\s{0,4}(?:\{\s{0,8})?[;\s]{0,8}send\s+(?:--\s+)?\\*["']([^"'\\$\s]{4,})\\+[rn]"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("expect \"password:\"\nsend \"{a12}\\r\"", "expect \"password:\"\nsend \"$PASS\\r\""),
    Entry::context("secret", &["ConvertTo-SecureString"], r#"ConvertTo-SecureString\s+(?:-String\s+)?\\*["']([^"'\s]{4,})["']"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("ConvertTo-SecureString '{p12}' -AsPlainText -Force", "ConvertTo-SecureString $x"),
    Entry::context("secret", &["sqlplus "], r#"sqlplus\s+(?:-\w+\s+)*\\*["']?[\w.$#]{1,64}/([^\s@/"'`]{3,64})@"#)
        .exact_case()
        .judge(Judge::NamedValue)
        .proof("sqlplus shop/{a12}@db:1521/xe", "sqlplus / as sysdba"),

    // Queries and functions.
    Entry::context("secret", &["identified by", "identified with"], r#"(?i)identified\s+(?:with\s+\S{1,40}\s+)?by\s+(?:password\s+)?\\*["']([^"'\s\\]{4,})\\*["']"#)
        .judge(Judge::NamedValue)
        .proof("CREATE USER shop@'%' IDENTIFIED BY '{p14}';", "identified by name"),
    Entry::context("secret", &["password '", "password E'", "password \\'"], r"(?i)(?:with|encrypted|user\s+\S{1,64}|role\s+\S{1,64}|login)\s+(password)\s+E?\\*'([^'\s\\]{4,})\\*'")
        .before(80)
        .judge(Judge::NamedValue)
        .proof("ALTER ROLE shop WITH PASSWORD '{p14}';", "the password 'is' checked"),
    Entry::context("secret", &["auth=(", "auth = (", "basic_auth(", "BasicAuth(", "basicAuth(", "BasicAuthHandler(", ".login("], r#"(?i)(?:auth\s?=\s?\(|auth\(|authhandler\(|\.login\()\s{0,4}["'][^"'\n]{1,80}["']\s{0,2},\s{0,4}(?:Some\()?["']([^"'\s\\]{6,})["']"#)
        .before(12)
        .judge(Judge::NamedValue)
        .proof("requests.get(u, auth=('alice', '{p14}'))", "requests.get(u, auth=('alice', 'password'))"),
];

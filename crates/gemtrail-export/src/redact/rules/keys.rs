//! Private keys, signed tokens, hashes of passwords, wallets.

use crate::redact::finders;
use crate::redact::rule::{Basis, Entry, Judge};

/// `PRIVATE KEY` in base64, at each offset within a group of three bytes.
const PRIVATE_KEY_IN_BASE64: &[&str] = &["UFJJVkFURSBLRV", "BSSVZBVEUgS0VZ", "QUklWQVRFIEtFW"];

/// How the bytes of private keys begin in base64, without any armour around them.
const KEY_BYTES: &[&str] = &[
    "MIIEvAIBADANBg",
    "MIIEvQIBADANBg",
    "MIIEvgIBADANBg",
    "MIIEvwIBADANBg",
    "MIIJQgIBADANBg",
    "MIIJQwIBADANBg",
    "MIIJRAIBADANBg",
    "MIIEogIBAAKCAQ",
    "MIIEowIBAAKCAQ",
    "MIIEpAIBAAKCAQ",
    "MIIEpQIBAAKCAQ",
    "MIIJKAIBAAKCAg",
    "MIIJKQIBAAKCAg",
    "MIIJKgIBAAKCAg",
    "MHcCAQEEI",
    "MIGHAgEAMBMGBy",
    "MIG2AgEAMBAGBy",
    "MC4CAQAwBQYDK2",
    "b3BlbnNzaC1rZXktdjE",
];

/// `://` in base64.
const URL_IN_BASE64: &[&str] = &["Oi8v", "DovL", "TovL", "jovL", "zovL", "6Ly8", "6Ly9"];

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::found_by("private-key", Basis::Shape, &["-----BEGIN"], finders::key)
        .proof("-----BEGIN EC PRIVATE KEY-----\n{P3}\n-----END EC PRIVATE KEY-----", "`-----BEGIN PRIVATE KEY-----` is the first line"),
    Entry::found_by("private-key", Basis::Shape, &["-----END"], finders::key_end)
        .proof("{P2}\n{b20}==\n-----END RSA PRIVATE KEY-----", "{P3}\n-----END CERTIFICATE-----"),
    Entry::shape("private-key", PRIVATE_KEY_IN_BASE64, r#"(?:UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW)[A-Za-z0-9+/]{20,}={0,2}(?:(?:\\+[nrt]|[\s"'+,\\>|]){1,8}[A-Za-z0-9+/]{40,}={0,2})*(?:(?:\\+[nrt]|\s){1,8}[A-Za-z0-9+/]{6,}={0,2})?"#)
        .entropy(4.0)
        .proof("LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t{b200}", "UFJJVkFURSBLRVk="),
    Entry::shape("private-key", KEY_BYTES, r#"\b(?:MII[EJ][\w]{2}IB[A-Za-z]{6}|MHcCAQEEI|MIG[H2]AgEAM|MC4CAQAwBQ|b3BlbnNzaC1r)[A-Za-z0-9+/]{24,}={0,2}(?:(?:\\+[nrt]|[\s"'+,\\>|]){1,8}[A-Za-z0-9+/]{40,}={0,2})*(?:(?:\\+[nrt]|\s){1,8}[A-Za-z0-9+/]{6,}={0,2})?"#)
        .entropy(4.0)
        .proof("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{b200}", "MIIEvQIBADANBg"),
    Entry::shape("putty-key", &["Private-Lines:"], r"Private-Lines: \d+\s+((?:[A-Za-z0-9+/=]{8,}\s+)+)")
        .proof("Private-Lines: 2\n{b64}\n{b64}\nPrivate-MAC", "Private-Lines: none"),
    Entry::shape("age-key", &["AGE-SECRET-KEY-1"], r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b")
        .proof("AGE-SECRET-KEY-1{t58}", "AGE-SECRET-KEY-1"),
    Entry::shape("jwk-private-key", &["\"kty\""], r#""kty"[^{}]{0,2000}"d"\s*:\s*"([\w-]{40,})""#)
        .proof(r#"{"kty":"OKP","crv":"Ed25519","d":"{w43}","x":"{w43}"}"#, r#"{"kty":"OKP","crv":"Ed25519","x":"abc"}"#),
    Entry::shape("jwt", &["eyJ"], r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}")
        .proof("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx{w30}.{w43}", "eyJhbGciOiJIUzI1NiJ9.payload"),
    Entry::shape("jwe", &["eyJ"], r"\beyJ[\w-]{8,}\.[\w-]{0,700}\.[\w-]{12,24}\.[\w-]{16,}\.[\w-]{20,24}\b")
        .proof("eyJhbGciOiJSU0Et{w20}.{w342}.{w16}.{w80}.{w22}", "eyJhbGciOiJSU0Et.a.b.c.d"),
    Entry::shape("signed-token", &["eyJ"], r"\beyJ[\w-]{8,}\.[\w-]{16,}\.[\w-]{27,}")
        .entropy(4.5)
        .proof("eyJ0eXAiOiAiVENWMiJ9.{w40}.{w80}", "eyJ0eXAiOiAiVENWMiJ9.a.b"),
    Entry::shape("password-hash", &["$2a$", "$2b$", "$2x$", "$2y$"], r"\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}")
        .proof("alice:$2y$10${a53}", "$2b$12$salt"),
    Entry::shape("password-hash", &["$1$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$apr1$"], r"\$(?:1|5|6|7|y|gy|apr1)\$(?:rounds=\d+\$)?[./\w]{1,32}\$(?:[./\w]{1,64}\$)?[./A-Za-z0-9]{22,128}")
        .entropy(3.5)
        .proof("root:$6${a16}${a86}:19600:0:99999:7:::", "awk '{print $1$2}' costs $5$ or $6$"),
    Entry::shape("password-hash", &["$argon2", "$scrypt$", "$pbkdf2"], r"\$(?:argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d+)?)\$[\w=,.$+/-]{8,}\$[A-Za-z0-9+/.]{20,}")
        .proof("$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}", "$argon2id$v=19$m=65536"),
    Entry::shape("password-hash", &["pbkdf2_sha", "SCRAM-SHA-"], r"(?:pbkdf2_sha\d+\$\d+\$[\w+/=]{4,}\$[A-Za-z0-9+/]{40,}=?|SCRAM-SHA-\d+\$\d+:[A-Za-z0-9+/=]{16,}\$[A-Za-z0-9+/=:]{60,})")
        .proof("pbkdf2_sha256$260000${a22}${b43}=", "pbkdf2_sha256"),
    Entry::shape("password-hash", &["{SSHA", "{SHA}", "{PBKDF2"], r"\{(?:SSHA(?:256|512)?|SHA|PBKDF2-SHA\d+)\}[A-Za-z0-9+/.$=]{24,}")
        .proof("userPassword: {SSHA}{b38}==", "{SSHA} is salted"),
    // Windows: user, number, two hashes.
    Entry::shape("password-hash", &[":::"], r":\d{3,7}:([0-9a-f]{32}:[0-9a-f]{32}):::")
        .before(74)
        .proof("Administrator:500:{h32}:{h32}:::", "a:500:::"),
    Entry::shape("wallet-key", &["xprv", "yprv", "zprv", "tprv"], r"\b[xyzt]prv[1-9A-Za-z]{100,112}\b")
        .proof("xprv9s21ZrQH143K{u96}", "xprv9s21"),
    Entry::shape("wallet-key", &["nsec1"], r"\bnsec1[a-z0-9]{58}\b")
        .proof("nsec1{h58}", "nsec1 is a prefix"),
    Entry::context("wallet-key", &["WIF", "private key", "secret key", "privkey", "keypair"], r"(?i)(?:wif|private key|secret key|privkey|keypair)[^\w\n]{0,4}(?:is\s)?[^\w\n]{0,3}((?:0x)?[0-9a-f]{64}|[5KLc][1-9A-HJ-NP-Za-km-z]{50,51}|S[A-Z2-7]{55}|[1-9A-HJ-NP-Za-km-z]{86,88})\b")
        .exact_case()
        .entropy(3.0)
        .proof("private key: 0x{h64}", "the private key of the other side is needed"),
    Entry::context("seed-phrase", &["mnemonic", "seed phrase", "seed_phrase", "seedPhrase", "recovery phrase", "recovery_phrase", "secret phrase", "seed words", "backup phrase"], r#"(?i)(?:mnemonic(?:[ _]phrase)?|(?:seed|recovery|secret|backup)[ _]?(?:phrase|words))["'`*]{0,3}\s{0,3}(?:is\s{0,2})?[:=]\s{0,4}["'`]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b"#)
        .judge(Judge::SeedPhrase)
        .proof("MNEMONIC=\"ocean visit rapid amber lunar stone quick velvet donkey maple humor crisp\"", "seed phrase: write down all twelve words and keep them safe from everyone else"),
    Entry::shape("url-password", URL_IN_BASE64, r"[A-Za-z0-9+/_-]{6,}(?:Oi8v|[DTjz]ovL|6Ly[89])[A-Za-z0-9+/_-]{8,}={0,2}")
        .before(64)
        .judge(Judge::EncodedUrl)
        .proof("DB_B64 cG9zdGdyZXM6Ly9zaG9wOmh1bnRlcjIyMkBkYi5hY21lLmV4YW1wbGUvc2hvcA==", "aHR0cHM6Ly93d3cuYWNtZS5leGFtcGxlL2luZGV4Lmh0bWw="),
];

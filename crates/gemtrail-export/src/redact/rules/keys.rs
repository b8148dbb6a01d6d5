//! Private keys and signed tokens.

use crate::redact::rule::{Entry, Judge};

/// What `PRIVATE KEY` looks like in base64, by its place in a group of three bytes.
const PRIVATE_KEY_IN_BASE64: &[&str] = &["UFJJVkFURSBLRV", "BSSVZBVEUgS0VZ", "QUklWQVRFIEtFW"];

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::shape("private-key", &["-----BEGIN"], r"-----BEGIN[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?-----END[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
        .judge(Judge::KeyMaterial)
        .proof("-----BEGIN EC PRIVATE KEY-----\n{P3}\n-----END EC PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----\n{P3}\n-----END CERTIFICATE-----"),
    // Output that was cut off, so that the end of the key is missing.
    Entry::shape("private-key", &["-----BEGIN"], r"-----BEGIN[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:(?:\\+[nrt]|[^A-Za-z0-9+/=-]){0,16}[A-Za-z0-9+/=]{24,})+(?:(?:\\+[nrt]|\s){1,4}[A-Za-z0-9+/]{2,}={1,2})?")
        .proof("-----BEGIN RSA PRIVATE KEY-----\\n{b64}\\n{b64}\\n[cut]", "`-----BEGIN PRIVATE KEY-----` is the first line"),
    Entry::shape("private-key", PRIVATE_KEY_IN_BASE64, r#"(?:UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW)[A-Za-z0-9+/]{20,}={0,2}(?:(?:\\+[nrt]|[\s"'+,\\>|]){1,8}[A-Za-z0-9+/]{40,}={0,2})*(?:(?:\\+[nrt]|\s){1,8}[A-Za-z0-9+/]{6,}={0,2})?"#)
        .entropy(4.0)
        .proof("LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t{b200}", "UFJJVkFURSBLRVk="),
    Entry::shape("putty-key", &["Private-Lines:"], r"Private-Lines: \d+\s+((?:[A-Za-z0-9+/=]{8,}\s+)+)")
        .proof("Private-Lines: 2\n{b64}\n{b64}\nPrivate-MAC", "Private-Lines: none"),
    Entry::shape("age-key", &["AGE-SECRET-KEY-1"], r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b")
        .proof("AGE-SECRET-KEY-1{t58}", "AGE-SECRET-KEY-1"),
    Entry::shape("jwt", &["eyJ"], r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}")
        .proof("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx{w30}.{w43}", "eyJhbGciOiJIUzI1NiJ9.payload"),
    Entry::shape("jwe", &["eyJ"], r"\beyJ[\w-]{8,}\.[\w-]{0,700}\.[\w-]{12,24}\.[\w-]{16,}\.[\w-]{20,24}\b")
        .proof("eyJhbGciOiJSU0Et{w20}.{w342}.{w16}.{w80}.{w22}", "eyJhbGciOiJSU0Et.a.b.c.d"),
];

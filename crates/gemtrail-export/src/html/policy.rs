//! The content security policy that allows a page's own style and script, and nothing else.

use sha2::{Digest, Sha256};

/// A policy for a page with exactly these inline styles and scripts, by hash. Nothing is loaded
/// from anywhere; pictures are embedded in the page. It is one line, so it fits a `<meta>` element
/// as well as a `Content-Security-Policy` header.
pub fn policy(styles: &[&str], scripts: &[&str]) -> String {
    let hashes = |sources: &[&str]| -> String {
        let hashes: Vec<_> = sources
            .iter()
            .map(|source| format!("'sha256-{}'", base64(&Sha256::digest(source))))
            .collect();
        if hashes.is_empty() {
            "'none'".to_owned()
        } else {
            hashes.join(" ")
        }
    };
    format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        hashes(styles),
        hashes(scripts),
    )
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = usize::try_from(bits >> (18 - 6 * place) & 63).unwrap_or(0);
            out.push(if place <= group.len() {
                char::from(DIGITS[digit])
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_as_rfc_4648_says() {
        for (plain, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }

    #[test]
    fn allows_only_what_is_named() {
        let policy = policy(&["a"], &[]);
        assert!(policy.starts_with("default-src 'none';"));
        assert!(
            policy.contains("style-src 'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=';")
        );
        assert!(policy.contains("script-src 'none';"));
        assert!(!policy.contains("unsafe"));
    }
}

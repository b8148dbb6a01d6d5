//! Text of a given shape from a fixed seed.
//!
//! A token written out in a source file looks like a leak to every secret scanner. So tokens are
//! described (`ghp_{a36}`) and generated when a test runs.

/// Characters that secrets are made of.
const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const DIGITS: &[u8] = b"0123456789";
const HEX: &[u8] = b"0123456789abcdef";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ALPHANUMERIC: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const PASSWORD: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!#%*+-_.";

/// Characters per line of a PEM block.
const PEM_COLUMNS: usize = 64;

/// A small generator (`SplitMix64`): the same seed yields the same text everywhere.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Starts with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Draws `count` characters from an alphabet.
    fn draw(&mut self, alphabet: &[u8], count: usize) -> String {
        let mut one = || {
            let index = self.next() % alphabet.len() as u64;
            char::from(alphabet[usize::try_from(index).unwrap_or_default()])
        };
        (0..count).map(|_| one()).collect()
    }

    /// The body of a PEM block.
    fn pem(&mut self, lines: usize) -> String {
        let lines: Vec<_> = (0..lines).map(|_| self.draw(BASE64, PEM_COLUMNS)).collect();
        lines.join("\n")
    }

    /// Fills in a description: `{a36}` becomes 36 letters and digits.
    ///
    /// The letters are `u`pper, `l`ower, `d`igits, `h`ex, base`t`hirtytwo, `a`lphanumeric,
    /// `b`ase64, `w`eb-safe base64, `p`assword, and `P` for lines of a PEM block.
    ///
    /// # Panics
    ///
    /// If the description is malformed, which is a bug in a test.
    pub fn fill(&mut self, description: &str) -> String {
        let mut out = String::new();
        let mut rest = description;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let hole = after.split_once('}').and_then(|(hole, tail)| {
                let count = hole.get(1..)?.parse().ok()?;
                Some((hole.as_bytes()[0], count, tail))
            });
            // A brace that does not open a placeholder is literal.
            let Some((kind, count, tail)) = hole else {
                out.push('{');
                rest = after;
                continue;
            };
            out.push_str(&match kind {
                b'u' => self.draw(UPPER, count),
                b'l' => self.draw(LOWER, count),
                b'd' => self.draw(DIGITS, count),
                b'h' => self.draw(HEX, count),
                b't' => self.draw(BASE32, count),
                b'a' => self.draw(ALPHANUMERIC, count),
                b'b' => self.draw(BASE64, count),
                b'w' => self.draw(URL_SAFE, count),
                b'p' => self.draw(PASSWORD, count),
                b'P' => self.pem(count),
                other => panic!("no alphabet is called {:?}", char::from(other)),
            });
            rest = tail;
        }
        out + rest
    }
}

/// Standard base64 with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for index in 0..4 {
            let digit = (group >> (18 - 6 * index)) & 63;
            let padding = index > chunk.len();
            let letter = BASE64[usize::try_from(digit).unwrap_or_default()];
            out.push(if padding { '=' } else { char::from(letter) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_filled_in() {
        let text = Dice::new(1).fill("ghp_{a36} {\"x\": {d3}}");
        assert_eq!(text.len(), "ghp_".len() + 36 + " {\"x\": ".len() + 3 + 1);
        assert_eq!(text, Dice::new(1).fill("ghp_{a36} {\"x\": {d3}}"));
        assert_ne!(text, Dice::new(2).fill("ghp_{a36} {\"x\": {d3}}"));
    }

    #[test]
    fn base64_pads() {
        assert_eq!(base64(b"-----BEGIN "), "LS0tLS1CRUdJTiA=");
        assert_eq!(base64(b"ab"), "YWI=");
        assert_eq!(base64(b"abc"), "YWJj");
    }
}

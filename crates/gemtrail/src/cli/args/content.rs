//! `--content` with and without a value.

use std::ffi::OsString;

/// The arguments with what a bare `--content` means spelled out: it must not swallow the name of the
/// session or file that follows it.
pub(super) fn spelled_out(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args = args.into_iter().peekable();
    let mut spelled = Vec::new();
    while let Some(arg) = args.next() {
        if arg == "--" {
            spelled.push(arg);
            spelled.extend(args);
            return spelled;
        }
        let has_value = |next: &OsString| next == "full" || next == "none";
        if arg == "--content" && !args.peek().is_some_and(has_value) {
            spelled.push("--content=full".into());
        } else {
            spelled.push(arg);
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_option_does_not_swallow_what_follows() {
        let spelled = |args: &[&str]| spelled_out(args.iter().map(OsString::from));
        assert_eq!(
            spelled(&["--content", "latest"]),
            ["--content=full", "latest"]
        );
        assert_eq!(spelled(&["x", "--content"]), ["x", "--content=full"]);
        for same in [
            ["--content", "none"],
            ["--content", "full"],
            ["--", "--content"],
        ] {
            assert_eq!(spelled(&same), same);
        }
    }
}

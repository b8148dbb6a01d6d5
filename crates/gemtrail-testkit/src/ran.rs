//! What a run of the binary came to.

use std::process::Output;

use serde_json::Value;

/// What a run of the binary came to.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// Takes what a process left.
    ///
    /// # Panics
    ///
    /// If it panicked itself or printed something that is not text.
    #[track_caller]
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints text");
        let ran = Self {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        };
        assert!(!ran.err.contains("panicked"), "{ran:?}");
        ran
    }

    /// Itself.
    ///
    /// # Panics
    ///
    /// If it ended with another exit code.
    #[expect(
        clippy::return_self_not_must_use,
        reason = "often the exit code is all that matters"
    )]
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        self
    }

    /// Standard output as one JSON document.
    ///
    /// # Panics
    ///
    /// If it is something else.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// Standard output as JSON Lines.
    ///
    /// # Panics
    ///
    /// If it is something else.
    #[track_caller]
    pub fn lines(&self) -> Vec<Value> {
        let lines = self.out.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().expect("JSON Lines")
    }

    /// The code of an error that was printed with `--json`.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[track_caller]
    pub fn error_code(&self) -> String {
        let last = self.err.lines().last().unwrap_or_default();
        let error: Value = serde_json::from_str(last).unwrap_or_else(|_| panic!("{self:?}"));
        error["code"].as_str().expect("it has a code").to_owned()
    }
}

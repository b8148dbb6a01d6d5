//! Gives the program the line that `gemtrail --version` prints, with the commit it is built from.
//!
//! `GEMTRAIL_COMMIT` and `GEMTRAIL_COMMIT_DATE` come first, then git; without either there is only the version. Nothing
//! depends on the time or place of the build, so the same commit gives the same bytes, and Cargo runs this again only
//! after a commit or a checkout.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script gets its input from the environment"
)]

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = env!("CARGO_PKG_VERSION");
    let line = match given().or_else(from_git) {
        Some((commit, date)) => format!("{version} ({commit} {date})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=GEMTRAIL_VERSION={line}");
}

/// Reads the environment, for builds from an archive of the sources.
fn given() -> Option<(String, String)> {
    let [commit, date] = ["GEMTRAIL_COMMIT", "GEMTRAIL_COMMIT_DATE"].map(|name| {
        println!("cargo::rerun-if-env-changed={name}");
        std::env::var(name).ok().filter(|value| !value.is_empty())
    });
    Some((short(&commit?), date?))
}

fn from_git() -> Option<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // A package unpacked by Cargo may lie inside an unrelated repository, such as one for dotfiles.
    if !root.join(".git").exists() {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(&root)
            .output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        // Cargo would take a missing file for a changed one, every time.
        let path = git(&["rev-parse", "--git-path", name]).map(|path| root.join(path));
        if let Some(path) = path.filter(|path| path.exists()) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    let commit = git(&["rev-parse", "HEAD"])?;
    let date = git(&["show", "--no-patch", "--format=%cs", "HEAD"])?;
    Some((short(&commit), date))
}

fn short(commit: &str) -> String {
    commit.chars().take(9).collect()
}

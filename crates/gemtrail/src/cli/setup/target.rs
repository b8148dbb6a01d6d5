//! The places of this machine for the files of setup.

use std::path::{Path, PathBuf};

use clap_complete::Shell;
use gemtrail_setup::{InstallTarget, PlannedFile};
use gemtrail_store::paths;

use super::super::context::Context;
use super::super::{complete::shells, man};
use crate::config::{ARCHIVE_PATH, SettingSource};
use crate::error::CliError;

/// Everything that depends on the machine and on how gemtrail was called.
pub(super) fn of(context: &Context<'_>) -> Result<InstallTarget, CliError> {
    let environment = context.environment;
    let missing =
        |what: &str| CliError::cannot("no-place", format!("this platform does not say {what}"));
    let known = |path: &Option<PathBuf>, what: &str| path.clone().ok_or_else(|| missing(what));
    let homes = context.settings.places(environment).homes()?;
    let gemini = homes
        .first()
        .ok_or_else(|| missing("where Gemini CLI keeps its files"))?;
    let user_home = known(&environment.user_home, "where your home directory is")?;
    let data = known(&environment.data_base, "where data goes")?;
    let config = known(&environment.config_base, "where configuration goes")?;
    Ok(InstallTarget {
        program: known(&environment.program, "where this program is")?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        options: options(context, &gemini.root, &user_home),
        gemini: gemini.root.clone(),
        completions: completions(&data, &config, context),
        man: man_pages(&data)?,
        user_home,
        data_dir: known(&environment.data_dir, "where data goes")?,
        config_dir: config,
    })
}

/// The options that name homes and archive, if they are not the usual ones. Hooks and servers do not
/// always get the environment in which they were set up.
fn options(context: &Context<'_>, gemini: &Path, user_home: &Path) -> Vec<String> {
    let settings = context.settings;
    let is_usual_home = paths::lead_to_same(gemini, &user_home.join(".gemini"));
    let is_usual_archive = matches!(
        settings.source(ARCHIVE_PATH),
        SettingSource::Default | SettingSource::File { .. }
    ) && is_usual_home;
    let mut options = Vec::new();
    if let Some(archive) = settings.archive.path.as_ref().filter(|_| !is_usual_archive) {
        let archive = std::path::absolute(archive).unwrap_or_else(|_| archive.clone());
        options.push("--archive".to_owned());
        options.push(archive.to_string_lossy().into_owned());
    }
    if !is_usual_home {
        options.extend(["--home".to_owned(), gemini.to_string_lossy().into_owned()]);
    }
    options
}

/// Scripts where the shells look for them.
fn completions(data: &Path, config: &Path, context: &Context<'_>) -> Vec<PlannedFile> {
    let bash = data.join("bash-completion/completions/gemtrail");
    let zsh = data.join("zsh/site-functions/_gemtrail");
    let fish = config.join("fish/completions/gemtrail.fish");
    let places = [(Shell::Bash, bash), (Shell::Zsh, zsh), (Shell::Fish, fish)];
    places
        .into_iter()
        .map(|(shell, path)| {
            let script = shells::script(shell);
            PlannedFile {
                note: (shell == Shell::Zsh).then(|| fpath(&path, context)),
                path,
                content: String::from_utf8_lossy(&script).into_owned(),
            }
        })
        .collect()
}

/// The pages that `man` writes.
fn man_pages(data: &Path) -> Result<Vec<PlannedFile>, CliError> {
    let dir = data.join("man/man1");
    let pages = man::pages()?.into_iter();
    let page = |(name, content): (String, Vec<u8>)| PlannedFile {
        path: dir.join(name),
        content: String::from_utf8_lossy(&content).into_owned(),
        note: None,
    };
    Ok(pages.map(page).collect())
}

/// Advice for zsh: its directories are up to each person.
fn fpath(script: &Path, context: &Context<'_>) -> String {
    let dir = context.shown(script.parent().unwrap_or(script));
    format!("zsh also needs this line before compinit in ~/.zshrc: fpath+=({dir})")
}

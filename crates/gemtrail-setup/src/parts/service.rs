//! Something that keeps the archive up to date: a hook alone misses sessions that were killed.

use super::{PlannedFile, Target};

/// The files of the service of this operating system.
pub(super) fn files(target: &Target) -> Vec<PlannedFile> {
    let wanted = if cfg!(target_os = "macos") {
        PlannedFile {
            path: target
                .user_home
                .join("Library/LaunchAgents/org.gemtrail.sync.plist"),
            content: launchd(target),
            note: Some(
                "untested; start it with: launchctl load ~/Library/LaunchAgents/org.gemtrail.sync.plist",
            ),
        }
    } else if cfg!(windows) {
        PlannedFile {
            path: target.data_dir.join("gemtrail-task.xml"),
            content: windows(target),
            note: Some(
                "untested; start it with: schtasks /Create /TN gemtrail /XML gemtrail-task.xml",
            ),
        }
    } else {
        PlannedFile {
            path: target.config_dir.join("systemd/user/gemtrail.service"),
            content: systemd(target),
            note: Some("start it with: systemctl --user enable --now gemtrail.service"),
        }
    };
    vec![wanted]
}

fn systemd(target: &Target) -> String {
    let words = std::iter::once(target.program.to_string_lossy().into_owned())
        .chain(target.arguments(&["sync", "--watch", "--quiet"]));
    // A percent sign and a dollar sign mean something there.
    let quoted = |word: String| {
        let word = word.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{}\"", word.replace('%', "%%").replace('$', "$$"))
    };
    let command = words.map(quoted).collect::<Vec<_>>().join(" ");
    format!(
        "# Written by `gemtrail setup`; `gemtrail setup --remove` takes it back.\n\
         [Unit]\nDescription=gemtrail keeps Gemini CLI sessions\n\n\
         [Service]\nExecStart={command}\nRestart=on-failure\nRestartSec=60\nNice=10\n\n\
         [Install]\nWantedBy=default.target\n"
    )
}

fn launchd(target: &Target) -> String {
    let words = std::iter::once(target.program.to_string_lossy().into_owned())
        .chain(target.arguments(&["sync", "--watch", "--quiet"]));
    let words: Vec<String> = words
        .map(|word| format!("    <string>{}</string>\n", escaped(&word)))
        .collect();
    let words = words.concat();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  <string>org.gemtrail.sync</string>\n  \
         <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n  <key>RunAtLoad</key>\n  <true/>\n  \
         <key>KeepAlive</key>\n  <true/>\n  <key>Nice</key>\n  <integer>10</integer>\n</dict>\n</plist>\n"
    )
}

fn windows(target: &Target) -> String {
    let arguments = target.arguments(&["sync", "--watch", "--quiet"]);
    let arguments: Vec<String> = arguments.iter().map(|it| format!("\"{it}\"")).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <Task version=\"1.2\" xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\">\n  \
         <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>\n  \
         <Settings><ExecutionTimeLimit>PT0S</ExecutionTimeLimit></Settings>\n  \
         <Actions><Exec><Command>{}</Command><Arguments>{}</Arguments></Exec></Actions>\n</Task>\n",
        escaped(&target.program.to_string_lossy()),
        escaped(&arguments.join(" "))
    )
}

/// A text for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

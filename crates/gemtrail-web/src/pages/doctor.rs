//! The doctor's page. Examining everything takes a while, so it is done apart from requests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gemtrail_doctor::{
    AtRisk, Cause, DAYS_AHEAD, DoctorOptions, LostSession, Policy, Report, Risk, damage_of_archive,
};
use gemtrail_export::present::Moment;
use gemtrail_export::text::{Clean, grouped, plural, size};
use gemtrail_store::Trail;
use jiff::Timestamp;
use maud::{Markup, html};

use super::frame::PageFrame;
use super::problem::Problem;
use crate::kept::Examination;
use crate::links;
use crate::viewer::Viewer;

/// A report that is older than this and not of the current view is replaced, and so is a failure
/// that is older.
const FRESH_SECONDS: i64 = 60;

impl Viewer {
    /// The last check-up. Another one is made on another thread if it is due.
    pub(crate) fn last_checkup(self: &Arc<Self>) -> Option<Arc<Examination>> {
        let last = self.checkups.last();
        if last.as_ref().is_none_or(|last| self.is_due(last))
            && let Some(run) = self.checkups.run()
        {
            let viewer = Arc::clone(self);
            // Without a thread, the page of the doctor examines by itself.
            let _ = std::thread::Builder::new().spawn(move || {
                let _run = run;
                viewer.checkup();
            });
        }
        last
    }

    /// A check-up that is not due for another one.
    fn checkup(&self) -> Arc<Examination> {
        let is_due = |last: &Examination| self.is_due(last);
        self.checkups.current(is_due, || self.examined())
    }

    fn is_due(&self, last: &Examination) -> bool {
        let age = self.now().as_second() - last.at.as_second();
        age > FRESH_SECONDS && (last.report.is_err() || last.version != self.versions.view())
    }

    /// Examines everything. That it failed is an outcome, too: an older report would hide it.
    fn examined(&self) -> Examination {
        let (version, at) = (self.versions.view(), self.now());
        // It only reads, so a panic leaves nothing half done.
        let report = catch_unwind(AssertUnwindSafe(|| self.report(at)));
        Examination {
            report: report.unwrap_or_else(|_| Err("the examination broke off".to_owned())),
            at,
            version,
        }
    }

    fn report(&self, now: Timestamp) -> Result<Report, String> {
        let failed = |error: &dyn std::fmt::Display| error.to_string();
        let (disk, _) = Trail::open(self.options.disk.clone()).map_err(|error| failed(&error))?;
        let archive = self.trail.view();
        let damage = archive.archive().map(damage_of_archive).transpose();
        let found = disk.view();
        let options = DoctorOptions {
            now,
            system: self.options.system.clone(),
            archive: damage.map_err(|error| failed(&error))?.unwrap_or_default(),
        };
        let mut report = gemtrail_doctor::examine(&found, &options);
        if let Some(path) = archive.archive() {
            let added = report.add_archive(path, &found, &self.options.machine);
            added.map_err(|error| failed(&error))?;
        }
        Ok(report)
    }
}

pub(crate) fn page(viewer: &Arc<Viewer>) -> Result<Markup, Problem> {
    let last = viewer.last_checkup();
    // Who looks after a failure wants to know whether it still fails.
    let last = last.filter(|last| last.report.is_ok());
    let checkup = last.unwrap_or_else(|| viewer.checkup());
    let report = checkup.report.as_ref();
    let report = report.map_err(|why| Problem::Broken(why.clone()))?;
    let at = checkup.at.to_zoned(viewer.options.zone.clone());
    let content = html! {
        header.head.plain {
            h1 { "Doctor" }
            p.lead {
                (summary(report)) " Checked at " (at.strftime("%H:%M").to_string()) "."
            }
        }
        (homes(report, viewer))
        section {
            h2 { "Deletion" }
            p { (rule(&report.retention.policy, viewer)) }
            @for exception in &report.retention.exceptions {
                p {
                    "In "
                    @match &exception.project {
                        Some(project) => b { (Clean::line(project.name()).as_str()) },
                        None => code { (Clean::line(viewer.shown_path(&exception.home)).as_str()) },
                    }
                    ": " (rule(&exception.policy, viewer))
                }
            }
            (at_risk(report, viewer))
        }
        @if !report.lost.is_empty() {
            section {
                h2 { "Lost" }
                (lost(report, viewer))
            }
        }
        @if !report.diagnostics.is_empty() { (findings(report, viewer)) }
    };
    Ok(PageFrame::new("Doctor", "/doctor").around(&content))
}

/// Reasons to worry. What the archive has is none.
fn summary(report: &Report) -> String {
    let risks = report.retention.at_risk.iter();
    let risks = risks.filter(|it| it.archived != Some(true)).count();
    let lost = report.lost.iter();
    let lost = lost.filter(|it| it.archived != Some(true)).count();
    let worries = [
        (report.diagnostics.len(), "finding", ""),
        (lost, "lost session", ""),
        (risks, "session", " at risk"),
    ];
    let worries = worries.into_iter().filter(|(count, ..)| *count > 0);
    let worries: Vec<String> = worries
        .map(|(count, noun, rest)| plural(count, noun) + rest)
        .collect();
    if worries.is_empty() {
        "No problems found.".to_owned()
    } else {
        worries.join(", ") + "."
    }
}

fn homes(report: &Report, viewer: &Viewer) -> Markup {
    html! {
        section {
            h2 { "Homes" }
            div.wide-table tabindex="0" role="region" aria-label="Homes" {
                table {
                    thead { tr {
                        th scope="col" { "Home" }
                        th.num scope="col" { "Projects" }
                        th.num scope="col" { "Sessions" }
                        th.num scope="col" { "Subagents" }
                        th.num scope="col" { "Checkpoints" }
                        th.num scope="col" { "Prompts logged" }
                        th.num scope="col" { "Size" }
                    } }
                    tbody {
                        @for home in &report.homes {
                            tr {
                                th scope="row" { code { (Clean::line(viewer.shown_path(&home.path)).as_str()) } }
                                td.num { (grouped(home.projects)) }
                                td.num { (grouped(home.sessions)) }
                                td.num { (grouped(home.subagents)) }
                                td.num { (grouped(home.checkpoints)) }
                                td.num { (grouped(home.prompts)) }
                                td.num { (size(home.bytes.total)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The settings in force, in a sentence.
fn rule(policy: &Policy, viewer: &Viewer) -> String {
    let file = policy.source_file.as_deref();
    let sentence = policy.sentence(file.map(|file| viewer.shown_path(file)).as_deref());
    Clean::line(&sentence).into()
}

/// The sessions that will be deleted, soonest first, and whether that would be a loss.
fn at_risk(report: &Report, viewer: &Viewer) -> Markup {
    let risks = &report.retention.at_risk;
    let lacking = risks.iter().filter(|it| it.archived != Some(true)).count();
    html! {
        @if risks.is_empty() {
            p.nothing { "Nothing will be deleted within " (DAYS_AHEAD) " days." }
        } @else {
            p {
                "Gemini CLI will delete " (plural(risks.len(), "session")) " within " (DAYS_AHEAD) " days. "
                @if lacking == 0 {
                    "All of that is in the archive: nothing would be lost."
                } @else {
                    @if report.archive.is_some() {
                        @if lacking == 1 { "1 of them is" } @else { (grouped(lacking as u64)) " of them are" }
                        " not in the archive: "
                    }
                    code { "gemtrail sync" } " keeps everything."
                }
            }
            @if lacking > 0 {
                (risk_table(risks, viewer))
            } @else {
                details.fold {
                    summary { span.what { "Which ones" } }
                    div.inside { (risk_table(risks, viewer)) }
                }
            }
        }
    }
}

fn risk_table(risks: &[AtRisk], viewer: &Viewer) -> Markup {
    html! {
        div.wide-table tabindex="0" role="region" aria-label="Sessions at risk" {
            table.named {
                thead { tr {
                    th scope="col" { "Session" }
                    th scope="col" { "Project" }
                    th scope="col" { "Deleted" }
                    th scope="col" { "Why" }
                } }
                tbody { @for risk in risks { (risk_row(risk, viewer)) } }
            }
        }
    }
}

fn risk_row(risk: &AtRisk, viewer: &Viewer) -> Markup {
    let title = Clean::line(risk.title.as_deref().unwrap_or("Untitled session"));
    let after = risk.deleted_after.as_deref();
    let after = after.map(|time| Moment::new(time, &viewer.options.zone).date());
    html! {
        tr.bad[risk.risk.is_danger() && risk.archived != Some(true)] {
            th scope="row" dir="auto" {
                @match risk.reference {
                    Some(reference) => a href=(links::session(reference)) { (title.as_str()) },
                    None => (title.as_str()),
                }
            }
            td { (Clean::line(risk.project.name()).as_str()) }
            td { @match after { Some(day) => { "after " (day) } None => { "at the next start" } } }
            td {
                @match risk.risk {
                    Risk::Age => "too old",
                    Risk::Count => "too many",
                    Risk::Stray => "in danger: a resume left an empty file beside it",
                    Risk::Unlisted => "in danger: Gemini CLI cannot list it",
                }
            }
        }
    }
}

/// The sessions that left a trace but no journal.
fn lost(report: &Report, viewer: &Viewer) -> Markup {
    let all = report.lost.len();
    let kept = report.lost.iter().filter(|it| it.archived == Some(true));
    let kept = kept.count();
    // What the archive has can be put back; what is gone comes first.
    let mut shown: Vec<&LostSession> = report.lost.iter().collect();
    shown.sort_by_key(|it| it.archived == Some(true));
    html! {
        p {
            @if kept < all { (plural(all - kept, "session")) " gone; only prompts are left. " }
            @if kept > 0 {
                (plural(kept, "session")) @if kept == 1 { " is" } @else { " are" }
                " gone from disk, but in the archive: " code { "gemtrail restore SESSION" } "."
            }
        }
        @for lost in shown { (lost_session(lost, viewer)) }
    }
}

fn lost_session(lost: &LostSession, viewer: &Viewer) -> Markup {
    let latest = lost.last.as_deref();
    let latest = latest.map(|time| Moment::new(time, &viewer.options.zone).date_and_clock());
    let first = lost
        .prompts
        .first()
        .map(|prompt| Clean::line(prompt.text.as_str()));
    html! {
        details.fold.lost {
            summary {
                span.what { (Clean::line(lost.project.name()).as_str()) }
                span.more { @if let Some(first) = &first { "“" (first.as_str()) "”" } }
                @if let Some(latest) = latest { time { (latest) } }
            }
            div.inside {
                p {
                    (cause(lost.cause))
                    @if lost.archived == Some(true) { " It is in the archive." }
                }
                ol { @for prompt in &lost.prompts { li dir="auto" { (Clean::text(prompt.text.as_str()).as_str()) } } }
                ul.files {
                    @for file in &lost.survives {
                        li { code { (Clean::line(viewer.shown_path(&file.path)).as_str()) } " " (size(file.bytes)) }
                    }
                }
            }
        }
    }
}

fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::CleanUpBug => {
            "Deleted by the clean-up of Gemini CLI 0.47 to 0.61: a resume left an empty file, and the \
             journal went with it."
        }
        Cause::NoRecorder => "Gemini CLI before 0.4 kept no session files.",
        Cause::DeletedByCommand => "Deleted on request, by /quit --delete.",
        Cause::SetAside => "Gemini CLI could not load the journal and put its bytes aside.",
        Cause::Unknown => "Why it is gone, the files do not tell.",
    }
}

fn findings(report: &Report, viewer: &Viewer) -> Markup {
    html! {
        section {
            h2 { "Findings" }
            ul.findings {
                @for it in &report.diagnostics {
                    li {
                        code { (it.code.as_str()) } " " (Clean::line(it.message.as_str()).as_str())
                        @if let Some(journal) = &it.journal {
                            div.path { code { (Clean::line(viewer.shown_path(journal)).as_str())
                                @if let Some(line) = it.line { ":" (line) } } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Adds up the facts of many sessions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;

use super::breakdown::CivilMoment;
use super::tally::in_project;
use super::{
    Breakdown, CallFacts, CallTally, EditFacts, Explanation, Key, Occurrences, Part, RequestFacts,
    SessionFacts, Tally,
};
use crate::model::SessionRef;
use crate::prices::{Cost, ModelPrices, Prices};

/// Options of statistics.
#[derive(Clone, Debug)]
pub struct StatsOptions<'a> {
    /// The zone of days and hours.
    pub zone: TimeZone,
    /// The first day of a week.
    pub week_start: Weekday,
    /// Only requests at this time or later.
    pub since: Option<Timestamp>,
    /// Only requests at this time or earlier.
    pub until: Option<Timestamp>,
    /// Only requests to models whose name contains this, in any case.
    pub model: Option<String>,
    /// The prices of tokens.
    pub prices: &'a Prices,
    /// The keys to break the totals down by.
    pub breakdowns: Vec<Vec<Key>>,
}

impl StatsOptions<'_> {
    /// True if some requests of a session may be left out.
    fn is_selective(&self) -> bool {
        self.since.is_some() || self.until.is_some() || self.model.is_some()
    }

    fn takes_time(&self, time: Option<i64>) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let time = time.and_then(|time| Timestamp::from_millisecond(time).ok());
        time.is_some_and(|time| {
            self.since.is_none_or(|since| time >= since)
                && self.until.is_none_or(|until| time <= until)
        })
    }

    fn takes_model(&self, name: Option<&str>) -> bool {
        let Some(part) = &self.model else { return true };
        name.is_some_and(|name| name.to_lowercase().contains(&part.to_lowercase()))
    }
}

/// Whose facts are added.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// The session that people know: for a subagent, the one that it worked for.
    pub session: SessionRef,
    /// The label of that session.
    pub label: SessionLabel,
    /// The machine.
    pub host: Option<Arc<str>>,
    /// The agent, if it is one that worked for another.
    pub agent: Option<Arc<str>>,
    /// True if it counts as a session even if nothing was requested in it.
    pub is_listed: bool,
}

/// The names of a session and its project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionLabel {
    /// Its id on disk.
    pub id: Arc<str>,
    /// Its title.
    pub title: Option<Arc<str>>,
    /// Its project, as documents name it.
    pub project: Option<Arc<str>>,
    /// Its project, as people name it.
    pub project_name: Option<Arc<str>>,
    /// The root of its project, as far as it is known.
    pub project_root: Option<Arc<str>>,
}

/// Totals over many sessions.
#[derive(Clone, Debug)]
pub struct Stats<'a> {
    pub(super) options: &'a StatsOptions<'a>,
    pub(super) total: Tally,
    pub(super) explanation: Explanation,
    pub(super) breakdowns: Vec<Breakdown>,
    pub(super) tools: BTreeMap<Arc<str>, CallTally>,
    pub(super) unpriced: BTreeMap<Option<Arc<str>>, Tally>,
    pub(super) sessions: HashMap<SessionRef, SessionLabel>,
    project_names: HashMap<Arc<str>, Arc<str>>,
    /// Sessions that several models answered in.
    pub(super) mixed: HashSet<SessionRef>,
    /// Changes from one model to another within sessions: by choice, or because the quota was used
    /// up.
    switches: BTreeMap<(Arc<str>, Arc<str>), Occurrences>,
    /// Changed files by project and path, which is relative to the root of the project if it is
    /// known to be in there.
    files: BTreeMap<(Option<Arc<str>>, Arc<str>), Occurrences>,
}

/// One session while it is added.
struct AddedSession<'f, 'p> {
    subject: &'f Subject,
    models: Vec<Model<'p>>,
    tools: Vec<Arc<str>>,
}

struct Model<'p> {
    name: Arc<str>,
    prices: Option<ModelPrices<'p>>,
    is_taken: bool,
}

impl<'p> AddedSession<'_, 'p> {
    fn model(&self, at: Option<u32>) -> Option<&Model<'p>> {
        self.models.get(usize::try_from(at?).ok()?)
    }

    fn tool(&self, at: Option<u32>) -> Option<&Arc<str>> {
        self.tools.get(usize::try_from(at?).ok()?)
    }

    fn part(&self, key: Key, model: Option<u32>, tool: Option<u32>) -> Part {
        match key {
            Key::Project => Part::text(self.subject.label.project.as_ref()),
            Key::Model => Part::text(self.model(model).map(|model| &model.name)),
            Key::Tool => Part::text(self.tool(tool)),
            Key::Session => Part::Session(self.subject.session),
            Key::Agent => Part::text(self.subject.agent.as_ref()),
            Key::Host => Part::text(self.subject.host.as_ref()),
            Key::Day | Key::Week | Key::Month | Key::Hour | Key::Weekday | Key::File => Part::None,
        }
    }
}

impl<'a> Stats<'a> {
    /// Nothing yet.
    pub fn new(options: &'a StatsOptions<'a>) -> Self {
        let breakdowns = options.breakdowns.iter();
        Self {
            options,
            total: Tally::default(),
            explanation: Explanation::default(),
            breakdowns: breakdowns.map(|keys| Breakdown::new(keys)).collect(),
            tools: BTreeMap::new(),
            unpriced: BTreeMap::new(),
            sessions: HashMap::new(),
            project_names: HashMap::new(),
            mixed: HashSet::new(),
            switches: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }

    /// Adds the facts of one session.
    pub fn add(&mut self, subject: &Subject, facts: &SessionFacts) {
        let options = self.options;
        let model = |name: &String| Model {
            prices: options.prices.of_model(name),
            is_taken: options.takes_model(Some(name)),
            name: name.as_str().into(),
        };
        let session = AddedSession {
            subject,
            models: facts.models.iter().map(model).collect(),
            tools: facts
                .tools
                .iter()
                .map(|name| name.as_str().into())
                .collect(),
        };
        let takes = |time: Option<i64>, model: Option<u32>| {
            let model = session.model(model);
            let is_taken = model.map_or_else(|| options.takes_model(None), |it| it.is_taken);
            is_taken && options.takes_time(time)
        };
        let label = &subject.label;
        if let (Some(project), Some(name)) = (&label.project, &label.project_name) {
            self.project_names
                .entry(Arc::clone(project))
                .or_insert_with(|| Arc::clone(name));
        }
        if subject.is_listed && !options.is_selective() {
            self.count_session(&session);
        }
        let mut models = HashSet::new();
        let mut has_requests = false;
        let mut before: Option<&Model<'_>> = None;
        for request in &facts.requests {
            if takes(request.time, request.model) {
                models.insert(request.model);
                has_requests = true;
                self.add_request(&session, request);
                let model = session.model(request.model);
                if let (Some(before), Some(model)) = (before, model)
                    && before.name != model.name
                {
                    let models = (Arc::clone(&before.name), Arc::clone(&model.name));
                    let switches = self.switches.entry(models).or_default();
                    switches.add(1, subject.session);
                }
                before = model.or(before);
            }
        }
        for edits in &facts.edits {
            let path = usize::try_from(edits.file).ok();
            let path = path.and_then(|at| facts.files.get(at));
            if let Some(path) = path.filter(|_| takes(edits.time, edits.model)) {
                let label = &subject.label;
                let path: Arc<str> = in_project(path, label.project_root.as_deref()).into();
                self.add_edits(&session, edits, &path);
                let file = (label.project.clone(), path);
                let changes = self.files.entry(file).or_default();
                changes.add(edits.edits, subject.session);
            }
        }
        for calls in &facts.calls {
            if takes(calls.time, calls.model) {
                self.add_calls(&session, calls);
            }
        }
        for stray in &facts.strays {
            if options.takes_model(None) && options.takes_time(stray.time) {
                self.explanation.add_stray(stray);
            }
        }
        if has_requests {
            let label = || subject.label.clone();
            self.sessions.entry(subject.session).or_insert_with(label);
        }
        if models.len() > 1 {
            self.mixed.insert(subject.session);
        }
    }

    /// Counts a session whether anything was requested in it or not.
    fn count_session(&mut self, session: &AddedSession<'_, '_>) {
        let subject = session.subject;
        let label = || subject.label.clone();
        self.sessions.entry(subject.session).or_insert_with(label);
        for breakdown in &mut self.breakdowns {
            if breakdown.keys().iter().all(|key| key.is_of_session()) {
                let row = breakdown.row(|key| session.part(key, None, None));
                row.sessions.insert(subject.session);
            }
        }
    }

    fn add_edits(&mut self, session: &AddedSession<'_, '_>, facts: &EditFacts, path: &Arc<str>) {
        let moment = self.moment(facts.time);
        let week_start = self.options.week_start;
        let breakdowns = self.breakdowns.iter_mut();
        for breakdown in breakdowns.filter(|it| it.counts_changes()) {
            let row = breakdown.row(|key| match moment {
                _ if key == Key::File => Part::Text(Arc::clone(path)),
                Some(moment) if key.is_period() => moment.part(key, week_start),
                _ => session.part(key, facts.model, None),
            });
            row.calls.calls += facts.edits;
            row.sessions.insert(session.subject.session);
        }
    }

    fn add_request(&mut self, session: &AddedSession<'_, '_>, request: &RequestFacts) {
        let model = session.model(request.model);
        let cost = cost(model, request);
        let tally = Tally::once(request.tokens, cost);
        self.total += tally;
        self.explanation
            .add(request, cost, session.subject.agent.is_some());
        if cost.is_none() {
            let name = model.map(|model| Arc::clone(&model.name));
            *self.unpriced.entry(name).or_default() += tally;
        }
        let moment = self.moment(request.time);
        let week_start = self.options.week_start;
        let breakdowns = self.breakdowns.iter_mut();
        for breakdown in breakdowns.filter(|it| !it.counts_changes()) {
            let row = breakdown.row(|key| match moment {
                Some(moment) if key.is_period() => moment.part(key, week_start),
                _ => session.part(key, request.model, request.tool),
            });
            row.tally += tally;
            row.sessions.insert(session.subject.session);
        }
    }

    fn add_calls(&mut self, session: &AddedSession<'_, '_>, facts: &CallFacts) {
        let calls = CallTally::from(facts);
        if let Some(tool) = session.tool(Some(facts.tool)) {
            match self.tools.get_mut(tool) {
                Some(tally) => *tally += calls,
                None => {
                    self.tools.insert(Arc::clone(tool), calls);
                }
            }
        }
        let by_tool = |it: &&mut Breakdown| it.keys().contains(&Key::Tool) && !it.counts_changes();
        if !self.breakdowns.iter_mut().any(|it| by_tool(&it)) {
            return;
        }
        let moment = self.moment(facts.time);
        let week_start = self.options.week_start;
        for breakdown in self.breakdowns.iter_mut().filter(by_tool) {
            let row = breakdown.row(|key| match moment {
                Some(moment) if key.is_period() => moment.part(key, week_start),
                _ => session.part(key, facts.model, Some(facts.tool)),
            });
            row.calls += calls;
            row.sessions.insert(session.subject.session);
        }
    }

    fn moment(&self, time: Option<i64>) -> Option<CivilMoment> {
        let mut keys = self.breakdowns.iter().flat_map(Breakdown::keys);
        keys.any(|key| key.is_period())
            .then(|| CivilMoment::of(time?, &self.options.zone))?
    }

    /// Adds what another one has added up with the same options.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.total += other.total;
        self.explanation.merge(&other.explanation);
        for (own, other) in self.breakdowns.iter_mut().zip(other.breakdowns) {
            own.merge(other);
        }
        for (tool, calls) in other.tools {
            *self.tools.entry(tool).or_default() += calls;
        }
        for (model, tally) in other.unpriced {
            *self.unpriced.entry(model).or_default() += tally;
        }
        self.sessions.extend(other.sessions);
        self.project_names.extend(other.project_names);
        self.mixed.extend(other.mixed);
        Occurrences::merge(&mut self.switches, other.switches);
        Occurrences::merge(&mut self.files, other.files);
        self
    }

    /// Ends adding: periods between the first and the last become rows, even if nothing happened.
    #[must_use]
    pub fn finish(mut self) -> Self {
        for breakdown in &mut self.breakdowns {
            breakdown.fill(self.options.week_start);
        }
        self
    }

    /// All requests.
    pub fn total(&self) -> &Tally {
        &self.total
    }

    /// The connection between the totals.
    pub fn explanation(&self) -> &Explanation {
        &self.explanation
    }

    /// The totals by these keys, if they were asked for.
    pub fn by(&self, keys: &[Key]) -> Option<&Breakdown> {
        self.breakdowns.iter().find(|it| it.keys() == keys)
    }

    /// The calls by tool.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &CallTally)> {
        self.tools
            .iter()
            .map(|(name, calls)| (name.as_ref(), calls))
    }

    /// The requests without a price, by model.
    pub fn unpriced(&self) -> impl Iterator<Item = (Option<&str>, &Tally)> {
        let models = self.unpriced.iter();
        models.map(|(name, tally)| (name.as_deref(), tally))
    }

    /// The sessions.
    pub fn sessions(&self) -> &HashMap<SessionRef, SessionLabel> {
        &self.sessions
    }

    /// The name of a project for people.
    pub fn project_name<'s>(&'s self, project: &'s str) -> &'s str {
        self.project_names
            .get(project)
            .map_or(project, AsRef::as_ref)
    }

    /// From which model to which answers went over within sessions, the most frequent first.
    pub fn switches(&self) -> Vec<(&str, &str, &Occurrences)> {
        let most = Occurrences::most(&self.switches).into_iter();
        most.map(|((from, to), tally)| (from.as_ref(), to.as_ref(), tally))
            .collect()
    }

    /// The project, path and tally of the files that were changed, the most changed first.
    pub fn files(&self) -> Vec<(Option<&str>, &str, &Occurrences)> {
        let most = Occurrences::most(&self.files).into_iter();
        most.map(|((project, path), tally)| (project.as_deref(), path.as_ref(), tally))
            .collect()
    }

    /// In how many sessions several models answered.
    pub fn mixed_sessions(&self) -> usize {
        self.mixed.len()
    }
}

fn cost(model: Option<&Model<'_>>, request: &RequestFacts) -> Option<Cost> {
    let time = request
        .time
        .and_then(|it| Timestamp::from_millisecond(it).ok());
    model?.prices?.cost(time, &request.tokens)
}

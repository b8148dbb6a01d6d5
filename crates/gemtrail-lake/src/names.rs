//! Names as they may be known at a level.

use gemtrail_core::model::{CallStatus, Origin, Project};
use gemtrail_core::time::{self, Timestamp};
use gemtrail_core::tools;
use gemtrail_core::view::{CallMetrics, Outcome};

use crate::identity::is_number;
use crate::options::{LakeOptions, Level, Precision};
use crate::table::{Cell, LAKE_SCHEMA, LakeRow};

/// The word for a name that must not be known.
const OTHER: &str = "other";

/// Turns what is recorded into what may be known.
pub(crate) struct KnownNames<'a> {
    options: &'a LakeOptions<'a>,
    has_words: bool,
}

impl<'a> KnownNames<'a> {
    pub(crate) fn new(options: &'a LakeOptions<'a>) -> Self {
        Self::with(options, options.level.has_words())
    }

    /// For files with words, or for those without.
    pub(crate) fn with(options: &'a LakeOptions<'a>, has_words: bool) -> Self {
        Self { options, has_words }
    }

    /// A name that only those with words may know.
    fn name(&self, kind: &str, name: Option<&str>) -> Cell {
        let pseudonym = |name: &str| self.options.key.pseudonym(kind, name);
        match name {
            Some(name) if self.has_words => name.into(),
            name => name.map(pseudonym).into(),
        }
    }

    /// An id; ids of calls and odd sessions have words in them.
    pub(crate) fn id(&self, id: &str) -> Cell {
        if self.has_words || is_number(id) {
            id.into()
        } else {
            self.options.key.pseudonym("id", id).into()
        }
    }

    pub(crate) fn project_key(&self, project: &Project) -> Cell {
        let identity = project.hash.as_deref().or(project.dir.as_deref());
        self.name("project", identity.or(project.path.as_deref()))
    }

    /// Words of somebody, if the level has words.
    pub(crate) fn words(&self, words: Option<&str>) -> Cell {
        words.filter(|_| self.has_words).into()
    }

    /// A name that somebody gave, which may have a secret in it.
    fn given(&self, name: Option<&str>) -> Cell {
        match name {
            Some(name) if self.options.level == Level::Redacted => {
                let mut redactor = self.options.redactor.fresh();
                redactor.text(name).into_owned().into()
            }
            name => self.words(name),
        }
    }

    pub(crate) fn time(&self, time: Option<&str>) -> Cell {
        time.and_then(time::parse).map(|it| self.micros(it)).into()
    }

    fn micros(&self, time: Timestamp) -> i64 {
        const DAY: i64 = 24 * 60 * 60 * 1_000_000;
        let micros = time.as_microsecond();
        match self.options.precision {
            Precision::Exact => micros,
            Precision::Day => micros.div_euclid(DAY) * DAY,
        }
    }

    /// The first cells of every row.
    pub(crate) fn head(&self, origin: &Origin) -> LakeRow {
        let options = self.options;
        let host = origin.host.as_deref().or(options.host.as_deref());
        let user = origin.user.as_deref().or(options.user.as_deref());
        vec![
            options.origin.as_str().into(),
            self.name("host", host),
            self.name("user", user),
            Cell::Int(LAKE_SCHEMA.into()),
        ]
    }

    /// The row of a project.
    pub(crate) fn project(&self, head: LakeRow, facts: &ProjectFacts<'_>) -> LakeRow {
        let project = facts.project;
        let mut row = head;
        row.extend([
            self.project_key(project),
            self.given(Some(&project.name())),
            self.given(project.path.as_deref()),
            facts.sessions.into(),
            self.time(facts.first),
            self.time(facts.last),
        ]);
        row
    }

    /// The two names of a tool: as recorded, and the one for all versions.
    pub(crate) fn tool(&self, call: &CallMetrics) -> [Cell; 2] {
        let name = call.name.as_str();
        if self.has_words || tools::is_built_in(name) || self.options.tools.contains(name) {
            [name.into(), call.canonical.as_str().into()]
        } else {
            [OTHER.into(), OTHER.into()]
        }
    }

    /// The name of a model. One that no price table has may be anything that somebody chose.
    pub(crate) fn model(&self, model: Option<&str>) -> Cell {
        let is_known = |name: &str| self.options.prices.of_model(name).is_some();
        match model {
            Some(name) if !self.has_words && !is_known(name) => OTHER.into(),
            model => model.into(),
        }
    }

    pub(crate) fn server(&self, server: Option<&str>) -> Cell {
        let has_words = self.has_words;
        server.map(|it| if has_words { it } else { OTHER }).into()
    }

    pub(crate) fn status(&self, call: &CallMetrics) -> Cell {
        match &call.status {
            Some(CallStatus::Other(_)) if !self.has_words => OTHER.into(),
            Some(status) => status.as_str().into(),
            None if call.outcome == Outcome::Unanswered => Cell::Null,
            None => call.outcome.as_str().into(),
        }
    }
}

/// Facts about a project.
pub(crate) struct ProjectFacts<'a> {
    pub(crate) project: &'a Project,
    pub(crate) sessions: u64,
    pub(crate) first: Option<&'a str>,
    pub(crate) last: Option<&'a str>,
}

/// The category of a tool, if that is one of those that everybody knows.
pub(crate) fn known_category(category: &str) -> &str {
    const KNOWN: [&str; 9] = [
        "read",
        "edit",
        "search",
        "execute",
        "fetch",
        "think",
        "plan",
        "agent",
        "communicate",
    ];
    if KNOWN.contains(&category) {
        category
    } else {
        OTHER
    }
}

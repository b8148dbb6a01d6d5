//! A running viewer, and a client that sends exactly what it is told.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

use gemtrail_core::model::Session;
use gemtrail_doctor::SystemSettings;
use gemtrail_export::ExportError;
use gemtrail_export::exporter::{Audience, Format, SessionFormat, SessionWriter};
use gemtrail_export::redact::Redactor;
use gemtrail_store::{ArchiveNeed, ArchiveOptions, Machine, Places, Trail, TrailOptions};
use gemtrail_web::{Keys, Options, Paging, Patience, Server, Stop, launch_address, serve};
use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;

/// A viewer of one home.
pub(crate) struct Viewer {
    pub(crate) port: u16,
    pub(crate) launch: String,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

pub(crate) const SECRET: [u8; 32] = [7; 32];

fn clock() -> Timestamp {
    "2026-11-17T12:00:00Z".parse().expect("a time")
}

/// A home as it is on disk.
fn disk(home: &Path) -> TrailOptions {
    TrailOptions {
        places: Places {
            homes: vec![home.to_owned()],
            ..Places::default()
        },
        read_only: true,
        ..TrailOptions::default()
    }
}

impl Viewer {
    pub(crate) fn of(home: &Path) -> Self {
        Self::with(home, Patience::default())
    }

    /// A viewer that waits for clients as long as this.
    pub(crate) fn with(home: &Path, patience: Patience) -> Self {
        Self::start(disk(home), patience, Paging::default())
    }

    /// A viewer of a home and its archive, with sessions in pages of the given number of messages.
    pub(crate) fn in_pages(home: &Path, archive: &Path, sizes: &[usize]) -> Self {
        let options = TrailOptions {
            archive: Some(ArchiveOptions {
                path: archive.to_owned(),
                need: ArchiveNeed::Always,
                may_sync: true,
                ..ArchiveOptions::default()
            }),
            read_only: false,
            ..disk(home)
        };
        let paging = Paging {
            above: 0,
            sizes: sizes.to_vec(),
        };
        Self::start(options, Patience::default(), paging)
    }

    fn start(options: TrailOptions, patience: Patience, paging: Paging) -> Self {
        let server = Server::bind(0).expect("a port").with_patience(patience);
        let keys = Keys {
            launch: [1; 32],
            session: SECRET,
        };
        let (port, launch) = (server.port(), launch_address(&server, &keys));
        let (trail, _) = Trail::open(options.clone()).expect("a home");
        let options = Options {
            clock,
            zone: TimeZone::UTC,
            week_start: Weekday::Monday,
            user_home: None,
            redactor: Redactor::new(Vec::new()).expect("rules"),
            more_formats: vec![Box::new(Titles)],
            disk: TrailOptions {
                archive: None,
                ..options
            },
            machine: Machine::default(),
            system: SystemSettings::default(),
            paging,
        };
        let stop = Stop::default();
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let ready = || Ok::<_, std::io::Error>(());
            serve(server, trail, options, &keys, &stopped, ready).expect("it runs");
        });
        Self {
            port,
            launch,
            stop,
            thread: Some(thread),
        }
    }

    /// The cookie, obtained with the launch token.
    pub(crate) fn cookie(&self) -> String {
        format!("Cookie: gemtrail-{}={}", self.port, "07".repeat(32))
    }

    /// A request with the right host, and these header lines.
    pub(crate) fn ask(&self, method: &str, path: &str, lines: &[&str]) -> Answer {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        let lines: Vec<&str> = std::iter::once(host.as_str())
            .chain(lines.iter().copied())
            .collect();
        self.send(method, path, &lines)
    }

    /// A page, requested with the cookie.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[&self.cookie()])
    }

    /// The answer to these very bytes; nothing if there is none. The client keeps its side open.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = self.connected();
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        (!answer.is_empty()).then(|| Answer::parse(&answer))
    }

    /// A connection that nothing was sent on.
    pub(crate) fn connected(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).expect("a socket");
        stream
    }

    /// A request with exactly these header lines.
    pub(crate) fn send(&self, method: &str, path: &str, lines: &[&str]) -> Answer {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for line in lines {
            request.push_str(line);
            request.push_str("\r\n");
        }
        request.push_str("\r\n");
        let mut stream = self.connected();
        // The server may answer and hang up before everything is sent.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        Answer::parse(&bytes)
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A format that is not built in.
struct Titles;

static TITLES: Format = Format {
    name: "titles",
    about: "The title alone",
    ending: "title",
    audience: Audience::Programs,
    redacts_files: false,
    options: &[],
    includes_subagents: false,
    has_digests: false,
    joins_sessions: false,
};

impl SessionFormat for Titles {
    fn format(&self) -> &Format {
        &TITLES
    }

    fn writer(&self) -> Box<dyn SessionWriter + '_> {
        Box::new(Self)
    }
}

impl SessionWriter for Titles {
    fn session(&mut self, session: &Session, out: &mut dyn Write) -> Result<(), ExportError> {
        let title = session.title.as_deref().unwrap_or_default();
        Ok(out.write_all(title.as_bytes())?)
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let headers: HashMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let mut body = bytes[end + 4..].to_vec();
        if headers
            .get("transfer-encoding")
            .is_some_and(|it| it == "chunked")
        {
            body = unchunked(&body);
        }
        Self {
            status: status.and_then(|it| it.parse().ok()).expect("a status"),
            headers,
            body: String::from_utf8_lossy(&body).into_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|it| it == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 4 + size..];
    }
    panic!("the body ends too early");
}

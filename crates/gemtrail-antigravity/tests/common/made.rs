//! Conversations made by hand, in the form that the engine writes.

use std::path::Path;

use rusqlite::{Connection, params};

/// The schema of every database that the engine ever wrote.
const SCHEMA: &str = "
CREATE TABLE `battle_mode_infos` (`idx` integer,`data` blob,PRIMARY KEY (`idx`));
CREATE TABLE `executor_metadata` (`idx` integer,`data` blob,PRIMARY KEY (`idx`));
CREATE TABLE `gen_metadata` (`idx` integer,`data` blob,`size` integer NOT NULL DEFAULT 0,PRIMARY KEY (`idx`));
CREATE TABLE `parent_references` (`idx` integer,`data` blob,PRIMARY KEY (`idx`));
CREATE TABLE `steps` (`idx` integer,`step_type` integer NOT NULL DEFAULT 0,`status` integer NOT NULL DEFAULT 0,`has_subtrajectory` numeric NOT NULL DEFAULT false,`metadata` blob,`error_details` blob,`permissions` blob,`task_details` blob,`render_info` blob,`step_payload` blob,`step_format` integer NOT NULL DEFAULT 0,PRIMARY KEY (`idx`));
CREATE TABLE `trajectory_meta` (`trajectory_id` text,`cascade_id` text,`trajectory_type` integer,`source` integer,PRIMARY KEY (`trajectory_id`));
CREATE TABLE `trajectory_metadata_blob` (`id` text DEFAULT \"main\",`data` blob,PRIMARY KEY (`id`));
CREATE INDEX `idx_steps_status` ON `steps`(`status`);
CREATE INDEX `idx_steps_step_type` ON `steps`(`step_type`);
PRAGMA user_version = 1; PRAGMA synchronous = OFF;";

/// The id of every conversation that is made here.
pub(crate) const ID: &str = "3f2b6c1e-5a77-4c0e-9d3b-0a1b2c3d4e5f";

/// A protobuf message that is being written.
#[derive(Clone, Default)]
pub(crate) struct Proto(pub(crate) Vec<u8>);

impl Proto {
    fn varint(&mut self, mut value: u64) {
        loop {
            let [low, ..] = value.to_le_bytes();
            value >>= 7;
            if value == 0 {
                return self.0.push(low & 0x7f);
            }
            self.0.push(low | 0x80);
        }
    }

    pub(crate) fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    pub(crate) fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub(crate) fn text(self, field: u64, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    pub(crate) fn record(self, field: u64, value: &Self) -> Self {
        self.bytes(field, &value.0)
    }
}

pub(crate) fn proto() -> Proto {
    Proto::default()
}

/// One step that is being written.
#[derive(Clone)]
pub(crate) struct MadeStep {
    pub(crate) kind: u64,
    pub(crate) status: u64,
    pub(crate) metadata: Proto,
    pub(crate) rest: Proto,
}

/// A step that is done, of a type, with the field that holds its payload.
pub(crate) fn step(kind: u64, field: u64, payload: &Proto) -> MadeStep {
    let moment = proto().number(1, 1_794_984_090).number(2, 968_794_057);
    MadeStep {
        kind,
        status: 3,
        metadata: proto().record(1, &moment),
        rest: proto().record(field, payload),
    }
}

impl MadeStep {
    pub(crate) fn status(mut self, status: u64) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn with(mut self, field: u64, value: &Proto) -> Self {
        self.rest = self.rest.record(field, value);
        self
    }

    pub(crate) fn metadata(mut self, field: u64, value: &Proto) -> Self {
        self.metadata = self.metadata.record(field, value);
        self
    }

    /// Sets the call that it executed.
    pub(crate) fn of_call(self, id: &str) -> Self {
        self.metadata(4, &proto().text(1, id))
    }

    /// Sets the conversation that it was first said in.
    pub(crate) fn from(self, conversation: &str) -> Self {
        self.metadata(20, &proto().text(4, conversation))
    }

    fn payload(&self) -> Vec<u8> {
        let step = proto().number(1, self.kind).number(4, self.status);
        let mut step = step.record(5, &self.metadata);
        step.0.extend_from_slice(&self.rest.0);
        step.0
    }
}

/// What the person typed.
pub(crate) fn typed(text: &str) -> MadeStep {
    step(14, 19, &proto().text(2, text))
}

/// An answer with the ids and names of its calls.
pub(crate) fn answer(text: &str, calls: &[(&str, &str, &str)]) -> MadeStep {
    let mut payload = proto().text(1, text).number(12, 2);
    for (id, name, args) in calls {
        let call = proto().text(1, id).text(2, name).text(3, args);
        payload = payload.record(7, &call);
    }
    step(15, 20, &payload)
}

/// Creates a database with the engine's schema.
pub(crate) fn create(path: &Path) -> Connection {
    let connection = Connection::open(path).expect("a database");
    connection.execute_batch(SCHEMA).expect("the schema");
    let meta = "INSERT INTO trajectory_meta VALUES (?1, ?1, 4, 0)";
    connection.execute(meta, [ID]).expect("a row");
    connection
}

pub(crate) fn insert(connection: &Connection, index: i64, step: &MadeStep) {
    insert_bytes(connection, index, step.kind, step.status, &step.payload());
}

pub(crate) fn insert_bytes(
    connection: &Connection,
    index: i64,
    kind: u64,
    status: u64,
    payload: &[u8],
) {
    let query = "INSERT INTO steps (idx, step_type, status, step_payload) VALUES (?1, ?2, ?3, ?4)";
    let row = params![index, kind, status, payload];
    connection.execute(query, row).expect("a row");
}

/// The bytes of a database with these steps.
pub(crate) fn database(steps: &[MadeStep]) -> Vec<u8> {
    database_with(steps, |_| ())
}

/// The bytes of a database with these steps, after something was done to it.
pub(crate) fn database_with(steps: &[MadeStep], change: impl FnOnce(&Connection)) -> Vec<u8> {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("made.db");
    let connection = create(&path);
    for (index, step) in (0..).zip(steps) {
        insert(&connection, index, step);
    }
    change(&connection);
    drop(connection);
    std::fs::read(path).expect("bytes")
}

//! A table in memory, column by column, and its Parquet file.

use std::fs::File;
use std::io::{BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::Result as ParquetResult;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::record::Field;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use sha2::{Digest, Sha256};

use crate::error::LakeError;
use crate::identity::hex;
use crate::table::{Cell, ColumnKind, LakeColumn, LakeRow, LakeTable};

/// Rows and bytes after which a row group is written, so that memory stays bounded.
const MOST_ROWS: usize = 100_000;
const MOST_BYTES: usize = 16 << 20;

/// A finished file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Finished {
    pub(crate) path: PathBuf,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// A file that is being written.
pub(crate) struct ParquetSheet {
    path: PathBuf,
    table: LakeTable,
    writer: SerializedFileWriter<Digesting<BufWriter<File>>>,
    columns: Vec<Vec<Cell>>,
    pending_bytes: usize,
    rows: u64,
}

impl ParquetSheet {
    pub(crate) fn create(path: &Path, table: LakeTable) -> Result<Self, LakeError> {
        let file = File::create(path).map_err(LakeError::file(path))?;
        let out = Digesting::new(BufWriter::new(file));
        let schema = schema(table).map_err(LakeError::parquet(path))?;
        let properties = properties(table).map_err(LakeError::parquet(path))?;
        let writer = SerializedFileWriter::new(out, schema, properties);
        Ok(Self {
            path: path.to_owned(),
            table,
            writer: writer.map_err(LakeError::parquet(path))?,
            columns: vec![Vec::new(); table.columns().len()],
            pending_bytes: 0,
            rows: 0,
        })
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: LakeRow) -> Result<(), LakeError> {
        for (column, cell) in self.columns.iter_mut().zip(row) {
            self.pending_bytes += size_of::<Cell>();
            if let Cell::Text(text) = &cell {
                self.pending_bytes += text.len();
            }
            column.push(cell);
        }
        self.rows += 1;
        let pending = self.columns.first().map_or(0, Vec::len);
        if pending >= MOST_ROWS || self.pending_bytes >= MOST_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), LakeError> {
        if self.columns.first().is_none_or(Vec::is_empty) {
            return Ok(());
        }
        write_group(&mut self.writer, self.table, &mut self.columns)
            .map_err(LakeError::parquet(&self.path))?;
        self.pending_bytes = 0;
        Ok(())
    }

    /// Ends the file and makes sure that it is on disk.
    pub(crate) fn finish(mut self) -> Result<Finished, LakeError> {
        self.flush()?;
        let path = self.path;
        // Writes the footer, too.
        let out = self
            .writer
            .into_inner()
            .map_err(LakeError::parquet(&path))?;
        let Digesting { out, digest, bytes } = out;
        let file = out.into_inner().map_err(IntoInnerError::into_error);
        let file = file.map_err(LakeError::file(&path))?;
        file.sync_all().map_err(LakeError::file(&path))?;
        Ok(Finished {
            path,
            rows: self.rows,
            bytes,
            sha256: hex(&digest.finalize(), 64),
        })
    }
}

/// The Parquet schema of a table. Everything is optional: an engine that joins files of several
/// versions may then fill in what one of them lacks.
pub(crate) fn schema(table: LakeTable) -> ParquetResult<TypePtr> {
    let columns = table.columns().iter();
    let columns =
        columns.map(|LakeColumn { name, kind }| format!("optional {}; ", kind.parquet(name)));
    let columns: String = columns.collect();
    let text = format!("message {} {{ {columns} }}", table.name());
    Ok(Arc::new(parse_message_type(&text)?))
}

fn properties(table: LakeTable) -> ParquetResult<WriterPropertiesPtr> {
    const ZSTD_LEVEL: i32 = 3;
    let mut builder = WriterProperties::builder()
        .set_created_by(format!("gemtrail {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::Page);
    for column in table.columns().iter().filter(|it| it.kind.is_text()) {
        let path = ColumnPath::from(column.name);
        builder = builder.set_column_statistics_enabled(path, EnabledStatistics::None);
    }
    Ok(Arc::new(builder.build()))
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    table: LakeTable,
    columns: &mut [Vec<Cell>],
) -> ParquetResult<()> {
    let mut group = writer.next_row_group()?;
    for (column, cells) in table.columns().iter().zip(columns) {
        if let Some(mut out) = group.next_column()? {
            write_column(&mut out, column.kind, std::mem::take(cells))?;
            out.close()?;
        }
    }
    group.close()?;
    Ok(())
}

fn write_column(
    out: &mut SerializedColumnWriter<'_>,
    kind: ColumnKind,
    cells: Vec<Cell>,
) -> ParquetResult<usize> {
    let levels: Vec<i16> = cells
        .iter()
        .map(|it| i16::from(*it != Cell::Null))
        .collect();
    let levels = Some(levels.as_slice());
    match kind {
        ColumnKind::Text | ColumnKind::Words => {
            let values = cells.into_iter().filter_map(|cell| match cell {
                Cell::Text(text) => Some(ByteArray::from(text.into_bytes())),
                _ => None,
            });
            let values: Vec<ByteArray> = values.collect();
            out.typed::<ByteArrayType>()
                .write_batch(&values, levels, None)
        }
        ColumnKind::Number | ColumnKind::Time | ColumnKind::Money => {
            let values: Vec<i64> = cells.iter().filter_map(int).collect();
            out.typed::<Int64Type>().write_batch(&values, levels, None)
        }
        ColumnKind::Small => {
            let small = |value: i64| i32::try_from(value).unwrap_or(i32::MAX);
            let values: Vec<i32> = cells.iter().filter_map(int).map(small).collect();
            out.typed::<Int32Type>().write_batch(&values, levels, None)
        }
        ColumnKind::Bool => {
            let values = cells.iter().filter_map(|cell| match cell {
                Cell::Bool(value) => Some(*value),
                _ => None,
            });
            let values: Vec<bool> = values.collect();
            out.typed::<BoolType>().write_batch(&values, levels, None)
        }
    }
}

fn int(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Int(value) => Some(*value),
        _ => None,
    }
}

/// Counts and digests what it passes on.
struct Digesting<W> {
    out: W,
    digest: Sha256,
    bytes: u64,
}

impl<W> Digesting<W> {
    fn new(out: W) -> Self {
        Self {
            out,
            digest: Sha256::new(),
            bytes: 0,
        }
    }
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.digest.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// Reads the rows of a file. Columns that it lacks are empty, and columns that this version does not
/// know are left out: it may have been written by an older or newer version.
pub(crate) fn read_all(
    path: &Path,
    table: LakeTable,
    take: impl FnMut(LakeRow) -> Result<(), LakeError>,
) -> Result<(), LakeError> {
    read_columns(path, table, |_| true, take)
}

/// Like [`read_all`], but reads only the wanted columns; the others are empty.
pub(crate) fn read_columns(
    path: &Path,
    table: LakeTable,
    is_wanted: impl Fn(&str) -> bool,
    mut take: impl FnMut(LakeRow) -> Result<(), LakeError>,
) -> Result<(), LakeError> {
    let file = File::open(path).map_err(LakeError::file(path))?;
    let reader = SerializedFileReader::new(file).map_err(LakeError::parquet(path))?;
    let schema = reader.metadata().file_metadata().schema();
    let fields = schema.get_fields().iter();
    let fields: Vec<TypePtr> = fields.filter(|it| is_wanted(it.name())).cloned().collect();
    let places = fields.iter().map(|it| table.position(it.name()));
    let places: Vec<Option<usize>> = places.collect();
    let wanted = Type::group_type_builder(schema.name()).with_fields(fields);
    let wanted = wanted.build().map_err(LakeError::parquet(path))?;
    let rows = reader
        .get_row_iter(Some(wanted))
        .map_err(LakeError::parquet(path))?;
    for row in rows {
        let row = row.map_err(LakeError::parquet(path))?;
        let mut cells = vec![Cell::Null; table.columns().len()];
        for ((_, field), place) in row.get_column_iter().zip(&places) {
            if let Some(place) = place {
                cells[*place] = cell(field, table.columns()[*place].kind);
            }
        }
        take(cells)?;
    }
    Ok(())
}

fn cell(field: &Field, kind: ColumnKind) -> Cell {
    match (field, kind) {
        (Field::Str(text), _) => text.as_str().into(),
        (Field::Long(value) | Field::TimestampMicros(value), _) => (*value).into(),
        (Field::Int(value), _) => i64::from(*value).into(),
        (Field::Bool(value), _) => (*value).into(),
        (Field::Decimal(value), ColumnKind::Money) => {
            let bytes = value.data().iter();
            let is_negative = bytes.clone().next().is_some_and(|byte| *byte >= 0x80);
            let start = if is_negative { -1_i64 } else { 0 };
            bytes
                .fold(start, |sum, byte| sum << 8 | i64::from(*byte))
                .into()
        }
        _ => Cell::Null,
    }
}

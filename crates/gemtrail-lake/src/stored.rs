//! Reads files of a lake.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::{Type, TypePtr};

use crate::cell::{Cell, Row};
use crate::error::LakeError;
use crate::table::{Kind, Table};

/// Reads the rows of a file. Columns that it lacks are empty, and columns that this version does not
/// know are left out: it may have been written by an older or newer version.
pub(crate) fn read_all(
    path: &Path,
    table: Table,
    take: impl FnMut(Row) -> Result<(), LakeError>,
) -> Result<(), LakeError> {
    read_columns(path, table, |_| true, take)
}

/// Like [`read_all`], but reads only the wanted columns; the others are empty.
pub(crate) fn read_columns(
    path: &Path,
    table: Table,
    is_wanted: impl Fn(&str) -> bool,
    mut take: impl FnMut(Row) -> Result<(), LakeError>,
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

fn cell(field: &Field, kind: Kind) -> Cell {
    match (field, kind) {
        (Field::Str(text), _) => text.as_str().into(),
        (Field::Long(value) | Field::TimestampMicros(value), _) => (*value).into(),
        (Field::Int(value), _) => i64::from(*value).into(),
        (Field::Bool(value), _) => (*value).into(),
        (Field::Decimal(value), Kind::Money) => {
            let bytes = value.data();
            let bytes = bytes.iter().copied();
            let is_negative = bytes.clone().next().is_some_and(|byte| byte >= 0x80);
            let start = if is_negative { -1_i64 } else { 0 };
            bytes
                .fold(start, |sum, byte| sum << 8 | i64::from(byte))
                .into()
        }
        _ => Cell::Null,
    }
}

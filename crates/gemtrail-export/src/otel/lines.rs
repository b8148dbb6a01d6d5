//! Spans as lines.

use std::io::Write;

use serde::Serialize;
use serde_json::value::RawValue;

use super::SCHEMA_URL;
use super::attributes::Attributes;
use super::span::Span;
use crate::ExportError;
use crate::foreign::HARNESS;
use crate::jsonl::write_line;

/// Receivers over gRPC take messages of up to 4 MiB, which are smaller than this JSON.
const LONGEST_LINE: usize = 4_000_000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TracesData<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: Resource,
    scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Serialize)]
struct Resource {
    attributes: Attributes,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ScopeSpans<'a> {
    scope: Scope,
    spans: &'a [Box<RawValue>],
    schema_url: &'static str,
}

#[derive(Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

/// Writes as many lines as it takes; without a span, none.
pub(super) fn write(spans: &[Span], out: &mut impl Write) -> Result<(), ExportError> {
    let mut batch: Vec<Box<RawValue>> = Vec::new();
    let mut length = 0;
    for span in spans {
        let span = serde_json::value::to_raw_value(span)?;
        if !batch.is_empty() && length + span.get().len() > LONGEST_LINE {
            write_batch(&batch, out)?;
            batch.clear();
            length = 0;
        }
        length += span.get().len();
        batch.push(span);
    }
    if batch.is_empty() {
        return Ok(());
    }
    write_batch(&batch, out)
}

fn write_batch(spans: &[Box<RawValue>], out: &mut impl Write) -> Result<(), ExportError> {
    let resource = Resource {
        attributes: Attributes::default().text("service.name", HARNESS),
    };
    let scope = Scope {
        name: "gemtrail",
        version: env!("CARGO_PKG_VERSION"),
    };
    let data = TracesData {
        resource_spans: [ResourceSpans {
            resource,
            scope_spans: [ScopeSpans {
                scope,
                spans,
                schema_url: SCHEMA_URL,
            }],
        }],
    };
    write_line(&data, out)
}

//! How fast secrets are found: text as tools print it, with and without secrets in it, and JSON.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use gemtrail_export::redact::Redactor;
use gemtrail_testkit::secrets::{Dice, planted};

/// Approximate size of each input in bytes.
const BYTES: usize = 4 << 20;

/// Code and logs, with words that make rules take a closer look.
const LINES: [&str; 8] = [
    "export function total(items) { return items.reduce((sum, item) => sum + item.price, 0); }\n",
    "2026-06-01T10:00:00.{d3}Z INFO request id={h16} path=/api/cart/{d5} took {d2} ms\n",
    "    let token = self.tokens.next().ok_or(Error::UnexpectedEnd { line: {d3} })?;\n",
    "commit {h40}\nAuthor: Alice <alice@acme.example>\n",
    "  \"resolved\": \"https://registry.example/lodash/-/lodash-{d1}.17.{d2}.tgz\",\n",
    "  \"integrity\": \"sha512-{b86}==\",\n",
    "The key of the map is the password field of the form, and the secret is never stored.\n",
    "drwxr-xr-x  2 alice staff  {d4} Jun  1 10:00 {l12}\n",
];

fn text(with_secrets: bool) -> String {
    let mut dice = Dice::new(1);
    let secrets = planted();
    let mut secrets = secrets.iter().cycle();
    let mut text = String::with_capacity(BYTES + 4096);
    while text.len() < BYTES {
        for line in LINES {
            text.push_str(&dice.fill(line));
        }
        // About one secret in 16 kB.
        if with_secrets && text.len() % 16 < 1 {
            text.extend(secrets.next().map(|one| one.text.as_str()));
            text.push('\n');
        }
    }
    text
}

fn redact(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("redact");
    let texts = [("clean", text(false)), ("with secrets", text(true))];
    for (name, text) in &texts {
        group.throughput(Throughput::Bytes(text.len() as u64));
        let mut redactor = Redactor::new(Vec::new()).expect("the tables are right");
        group.bench_function(*name, |bencher| {
            bencher.iter(|| redactor.text(black_box(text)).len());
        });
    }
    group.finish();
}

criterion_group!(benches, redact);
criterion_main!(benches);

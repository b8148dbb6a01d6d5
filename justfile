# Recipes for people; CI calls .ci/run, which uses the same commands.

default: check

# Everything that must hold before a commit.
check: fmt cycles lint test

fmt:
    cargo fmt --all --check

# Modules and crates need each other in one direction.
cycles:
    python3 tools/check_cycles.py

lint:
    cargo clippy --locked --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps

test:
    cargo test --locked --workspace

# Licences and advisories; needs cargo-deny.
deny:
    cargo deny check bans licenses sources

# Write docs/schema, docs/reference.md and docs/requirements.md anew.
docs:
    cargo build --locked
    python3 tools/write_docs.py target/debug/gemtrail
    GEMTRAIL_WRITE_DOCS=1 cargo test --locked -p gemtrail --test requirements every_requirement

# Measure whole commands against `cat` on a generated home.
bench size="medium":
    bench/run --size {{ size }} --rivals

# Measure the parts by themselves: strings, reading, replay, Markdown, redaction.
bench-parts:
    cargo bench --locked -p gemtrail-core -p gemtrail-export

# Check hostile pages and the web viewer in Chromium.
browser:
    cargo build --locked
    node tests/browser/check.mjs
    LARGE=1 node tests/browser/serve.mjs

# Check the terminal browser in tmux, and completion in shells.
terminal:
    cargo build --locked --workspace --example browse
    cargo build --locked
    tests/terminal/check.py
    tests/terminal/keys.py
    tests/terminal/chaos.py
    tests/terminal/completions.py

# Build a release for this machine and try every way to install it.
dist:
    python3 -m unittest discover -s tools/dist/tests
    tools/dist/check

# Have other people's packages judge the formats of other tools.
formats:
    cargo build --locked
    python3 tests/formats/validate.py target/debug/gemtrail --full

# A lake of many homes in every engine, Spark included; killed at random moments.
lake homes="60" kills="50":
    cargo build --locked
    python3 tests/lake/accept.py target/debug/gemtrail --homes {{ homes }} --kills {{ kills }} --spark

# Kill gemtrail while it tidies a home up, and look for every byte.
tidy-kills kills="200":
    cargo build --locked
    python3 tests/torture/tidy_kill.py --kills {{ kills }}

# Check against the real Gemini CLI from npm.
live:
    cargo build --locked
    conformance/run --random 3 --features native,archive,setup,mcp,drift,tidy
    conformance/antigravity.py

# Answers for models over a generated home: budgets, and hits quoted from their messages.
budgets cases="300":
    cargo build --locked
    python3 tools/gen_corpus.py --out target/medium --size medium
    target/debug/gemtrail --home target/medium/home --archive target/medium/archive.db sync --quiet
    GEMTRAIL_HOME={{ justfile_directory() }}/target/medium/home GEMTRAIL_ARCHIVE={{ justfile_directory() }}/target/medium/archive.db \
        GEMTRAIL_CASES={{ cases }} cargo test --locked -p gemtrail-mcp large_home -- --ignored --nocapture

# Fuzz one target; needs cargo-fuzz and a nightly toolchain.
fuzz target seconds="600":
    cd fuzz && cargo fuzz run {{ target }} -- -max_total_time={{ seconds }}

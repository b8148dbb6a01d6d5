# Recipes for people; CI calls .ci/run, which uses the same commands.

default: check

# Everything that must hold before a commit.
check: fmt lint test

fmt:
    cargo fmt --all --check

lint:
    cargo clippy --locked --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps

test:
    cargo test --locked --workspace

# Licences and advisories; needs cargo-deny.
deny:
    cargo deny check bans licenses sources

# Regenerate the JSON Schemas in docs/schema.
schema:
    cargo run --locked -- schema session > docs/schema/session.json
    cargo run --locked -- schema list > docs/schema/list.json
    cargo run --locked -- schema doctor > docs/schema/doctor.json

# Fuzz one target; needs cargo-fuzz and a nightly toolchain.
fuzz target seconds="600":
    cd fuzz && cargo fuzz run {{ target }} -- -max_total_time={{ seconds }}

#!/usr/bin/env python3
"""Writes docs/schema/*, the types of the packages and docs/reference.md from what the program says about itself.
(docs/requirements.md comes
from the names of the tests; crates/gemtrail/tests/requirements/tested.rs writes it.)

    tools/write_docs.py path/to/gemtrail
"""
import os
import pathlib
import subprocess
import sys

import write_types

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"


def run(*args):
    env = dict(os.environ, COLUMNS="100")
    return subprocess.run([sys.argv[1], *args], check=True, capture_output=True, text=True, env=env).stdout


def main():
    for name in run("schema").split():
        (DOCS / "schema" / f"{name}.json").write_text(run("schema", name))
    for name, version in (("vac", "v3"), ("vac-v2", "v2")):
        (DOCS / "schema" / f"agent-record-{version}.cddl").write_text(run("schema", name))
    write_types.main()
    top = run("--help")
    # They stand in groups, each below a title.
    listing = top.split("\nOptions:\n")[0].splitlines()
    commands = [line.split()[0] for line in listing if line.startswith("  ")]
    parts = ["# Command reference\n\nGenerated from `--help` by `just docs`; a test keeps it in step.\n"]
    for command in [""] + commands:
        text = run(*([command] if command else []), "--help")
        text = "".join(line.rstrip() + "\n" for line in text.splitlines())
        parts.append(f"## gemtrail {command}".rstrip() + f"\n\n```text\n{text}```\n")
    (DOCS / "reference.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main()

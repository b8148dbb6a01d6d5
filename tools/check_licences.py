#!/usr/bin/env python3
"""Checks every locked package against the allow list of deny.toml.

A stand-in for `cargo deny check licenses sources` on machines where building cargo-deny takes
longer than everything else together. Reads the same file, so there is one list.
"""
import json
import re
import subprocess
import sys
import tomllib


def allowed(expression, names):
    """Whether an SPDX expression can be satisfied with these licences."""
    expression = expression.replace("/", " OR ")
    tokens = re.findall(r"\(|\)|\bAND\b|\bOR\b|[A-Za-z0-9.+-]+(?:\s+WITH\s+[A-Za-z0-9.+-]+)?", expression)
    words = [t if t in "()" else {"AND": "and", "OR": "or"}.get(t, str(" ".join(t.split()) in names)) for t in tokens]
    return bool(eval(" ".join(words)))  # only parentheses, and/or, True/False


def main():
    with open("deny.toml", "rb") as file:
        licences = tomllib.load(file)["licenses"]
    exceptions = {e["crate"]: set(e["allow"]) for e in licences.get("exceptions", [])}
    metadata = json.loads(subprocess.check_output(["cargo", "metadata", "--locked", "--format-version", "1", "--all-features"]))
    bad = []
    for package in metadata["packages"]:
        names = set(licences["allow"]) | exceptions.get(package["name"], set())
        source, licence = package["source"], package["license"]
        if source is None:
            continue
        if not source.startswith(("registry+", "sparse+")):
            bad.append(f"{package['name']}: comes from {source}")
        if licence is None or not allowed(licence, names):
            bad.append(f"{package['name']} {package['version']}: licence {licence!r} is not on the list")
    for line in bad:
        print(line, file=sys.stderr)
    print(f"licences: {len(metadata['packages'])} packages checked, {len(bad)} refused")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()

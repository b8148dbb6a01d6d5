"""A release of scripts instead of programs, for tests: every target, packed once."""
import functools
import pathlib
import sys
import tempfile
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import notices  # noqa: E402
import pack  # noqa: E402
from targets import TARGETS  # noqa: E402

# Answers the questions that `tools/dist` asks a program.
SCRIPT = """#!/bin/sh
case $1 in
  completions) echo "completes in $2" ;;
  man) echo .TH > "$2/gemtrail.1"; echo .TH > "$2/gemtrail-list.1" ;;
  *) echo "gemtrail $*"; [ "$1" != fail ] || exit 3 ;;
esac
"""


def programs(directory, targets=TARGETS):
    for target in targets:
        path = pathlib.Path(directory) / target.triple / target.binary
        path.parent.mkdir(parents=True)
        path.write_text(SCRIPT + f"# {target.triple}\n")
        path.chmod(0o755)


def packed(out, targets=TARGETS, **options):
    """Packs programs for these targets; collecting licences takes Cargo and time, and has a test of its own."""
    with tempfile.TemporaryDirectory() as directory, mock.patch.object(notices, "collect", lambda _: "notices\n"):
        programs(directory, targets)
        return pack.pack(directory, out, **options)


@functools.cache
def once():
    """The directory of a release that tests only read."""
    directory = tempfile.TemporaryDirectory()
    once.keep = directory  # removed when the tests end
    packed(directory.name, complete=True)
    return pathlib.Path(directory.name)

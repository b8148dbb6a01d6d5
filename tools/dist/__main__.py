"""Writes the packages of a release.

    python3 tools/dist BINARIES OUT [--complete]

BINARIES has one directory per target (`x86_64-unknown-linux-gnu/gemtrail`, …; see targets.py). OUT gets `npm/`,
`wheels/` and `release/`: what goes to npm, to PyPI, and to the release page. The same programs give the same bytes. A
program for Linux on x64 must be among them and run here: it writes the man pages and completions.
"""
import argparse
import sys

import pack


def main():
    parser = argparse.ArgumentParser(prog="tools/dist", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", metavar="BINARIES")
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("--complete", action="store_true", help="fail unless there is a program for every target")
    arguments = parser.parse_args()
    try:
        written = pack.pack(arguments.binaries, arguments.out, arguments.complete)
    except pack.Incomplete as reason:
        print(f"tools/dist: {reason}", file=sys.stderr)
        return 1
    for path in written:
        print(f"{path.stat().st_size:>10} {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Copy recorded trees into fixtures/recorded: only the files that a test reads, byte for byte.

    take_fixtures.py RECORDINGS [VERSION/SCENARIO ...]

RECORDINGS holds trees/<version>/<scenario>/ and expected/<version>/<scenario>.json.
Without names every tree is taken. A tree that is already there is replaced.
"""
import pathlib
import shutil
import sys

TARGET = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "recorded"
# Written by the recorder, or by the client for itself; no session data.
LEFT_OUT = shutil.ignore_patterns("LISTING.txt", "state.json")


def copy_steps(tree, target):
    """The chats after each invocation, laid out as a `tmp` directory so that they can be read as a home."""
    for step in sorted((tree / "steps").glob("after-*")):
        for project in sorted(p for p in step.iterdir() if p.is_dir()):
            shutil.copytree(project, target / "steps" / step.name / "tmp" / project.name)


def take(recordings, name):
    tree, target = recordings / "trees" / name, TARGET / name
    expected = recordings / "expected" / f"{name}.json"
    if not expected.exists():
        print(f"{name}: no expected file, left out", file=sys.stderr)
        return
    if target.exists():
        shutil.rmtree(target)
    target.mkdir(parents=True)
    shutil.copytree(tree / ".gemini", target / ".gemini", ignore=LEFT_OUT)
    shutil.copyfile(expected, target / "expected.json")
    wanted = ["out.md", "out.json"]
    if name.endswith("json"):  # *_json and *_stream-json: the output itself is a format to read
        wanted.append("stdout.0.txt")
    for file in wanted:
        if (tree / file).exists():
            shutil.copyfile(tree / file, target / file)
    if "multi_gap" in name:
        copy_steps(tree, target)
    for path in target.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    recordings = pathlib.Path(sys.argv[1])
    names = sys.argv[2:] or sorted(f"{t.parent.name}/{t.name}" for t in (recordings / "trees").glob("*/*"))
    for name in names:
        take(recordings, name)


if __name__ == "__main__":
    main()

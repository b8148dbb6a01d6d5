#!/usr/bin/env python3
"""Checks that recorded homes of Antigravity are read alike from the disk and, once they are deleted, from the archive, and stay as they are.

    tools/antigravity_archive.py target/debug/gemtrail DIR

DIR/RELEASE/SCENARIO/tree.tar.xz has a home below home/. That what the disk gives is right is checked by the test `recordings` of gemtrail-antigravity."""
import hashlib, json, os, pathlib, shutil, subprocess, sys, tarfile, tempfile

gemtrail, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])


def fingerprint(home):
    """Names, times and bytes of everything."""
    entries = []
    for path in sorted(home.rglob("*")):
        state = path.lstat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
        entries.append((str(path.relative_to(home)), state.st_mode, state.st_mtime_ns, state.st_size if digest else 0, digest))
    return entries


def run(work, *arguments):
    environment = {"HOME": str(work), "PATH": os.environ["PATH"], "TZ": "UTC"}
    command = [gemtrail, "--home", work / "home/.gemini", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{arguments}: {done.stderr.decode()}")
    return done.stdout


def exported(work, name, place):
    """The documents of all sessions, by file, without the machine's name, which only the archive has."""
    run(work, "export", "--all", "--kind", "all", "--format", "json", "-o", work / name, *place)
    return {path.name: without_host(json.loads(path.read_bytes())) for path in sorted((work / name).rglob("*.json"))}


def without_host(value):
    if isinstance(value, dict):
        return {key: without_host(it) for key, it in value.items() if key != "host"}
    return [without_host(it) for it in value] if isinstance(value, list) else value


count, sessions, problems = 0, 0, []
for recording in sorted(root.glob("*/*/tree.tar.xz")):
    name, count = "/".join(recording.parts[-3:-1]), count + 1
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        with tarfile.open(recording) as tree:
            tree.extractall(work, filter="tar")
        home = work / "home"
        if not (home / ".gemini").is_dir():
            found = [it for it in home.rglob(".gemini") if it.is_dir()]
            if not found:
                problems.append(f"{name}: no .gemini")
                continue
            (home / ".gemini").symlink_to(found[0])
        before = fingerprint(home)
        disk = exported(work, "disk", ["--no-archive"])
        archive = ["--archive", work / "archive.db"]
        run(work, "sync", "--quiet", *archive)
        if fingerprint(home) != before:
            problems.append(f"{name}: the home changed")
        for program in (home / ".gemini").resolve().iterdir():
            if program.name.startswith("antigravity"):
                shutil.rmtree(program)
        kept = exported(work, "kept", archive)
        sessions += len(disk)
        if not disk:
            problems.append(f"{name}: no sessions")
        if disk != kept:
            problems.append(f"{name}: differs from the archive: {[it for it in {**disk, **kept} if disk.get(it) != kept.get(it)]}")
print(*problems, sep="\n")
print(f"{count} recordings, {sessions} sessions, {len(problems)} problems")
sys.exit(bool(problems) or not count)

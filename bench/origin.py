#!/usr/bin/env python3
"""Times `gemtrail origin` over one file of 5,000 lines with 200 edits and a commit after every second one.

    bench/origin.py target/release/gemtrail [--runs 5]

Prints the best of some runs, and how much larger the archive is by what origin needs: the texts are in the archive anyway, an index has none of them.
Limits: 300 ms for the file, 3 s for the range of 100 commits."""
import argparse, json, os, pathlib, random, subprocess, tempfile, time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("gemtrail")
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--lines", type=int, default=5000)
parser.add_argument("--edits", type=int, default=200)
options = parser.parse_args()
gemtrail = pathlib.Path(options.gemtrail).resolve()
random.seed(7)

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    root, chats = work / "shop", work / ".gemini/tmp/shop/chats"
    (root / "src").mkdir(parents=True)
    chats.mkdir(parents=True)
    (chats.parent / ".project_root").write_text(str(root))
    environment = {"HOME": str(work), "PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "d", "GIT_AUTHOR_EMAIL": "d@example.com",
                   "GIT_COMMITTER_NAME": "d", "GIT_COMMITTER_EMAIL": "d@example.com"}

    def git(*arguments, minute=0):
        date = {"GIT_COMMITTER_DATE": f"{1780000000 + minute * 60 + 30} +0000", "GIT_AUTHOR_DATE": f"{1780000000 + minute * 60 + 30} +0000"}
        subprocess.run(["git", *arguments], cwd=root, env={**environment, **date}, check=True, capture_output=True)

    stamp = lambda minute: time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1780000000 + minute * 60))
    path, text = root / "src/large.ts", [f"export const value{number} = compute({number * 37 % 101});" for number in range(options.lines)]
    path.write_text("\n".join(text) + "\n")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    records = []
    for edit in range(1, options.edits + 1):
        if edit % 20 == 1:
            session = f"{edit:08x}-1111-4222-8333-444455556666"
            records = [{"sessionId": session, "projectHash": "x", "startTime": stamp(edit), "lastUpdated": stamp(edit), "kind": "main"}]
        before = "\n".join(text) + "\n"
        at = random.randrange(len(text))
        text[at:at + 2] = [f"export const edit{edit}_{line} = {random.random()};" for line in range(random.randrange(1, 6))]
        after = "\n".join(text) + "\n"
        path.write_text(after)
        shown = {"fileDiff": "", "fileName": "large.ts", "filePath": str(path), "originalContent": before, "newContent": after}
        call = {"id": f"c{edit}", "name": "replace", "status": "success", "timestamp": stamp(edit), "args": {"file_path": str(path), "old_string": "x", "new_string": "y"}, "resultDisplay": shown}
        records += [{"id": f"u{edit}", "timestamp": stamp(edit), "type": "user", "content": [{"text": f"change {edit}"}]},
                    {"id": f"g{edit}", "timestamp": stamp(edit), "type": "gemini", "content": "Done.", "model": "gemini-3-pro", "toolCalls": [call]}]
        if edit % 20 == 0:
            lines = "".join(json.dumps(record) + "\n" for record in records)
            (chats / f"session-2026-05-28T20-26-{edit - 19:08x}.jsonl").write_text(lines)
        if edit % 2 == 0:
            git("commit", "-qam", f"change {edit}", minute=edit)

    def run(*arguments):
        started = time.perf_counter()
        done = subprocess.run([gemtrail, "--home", work / ".gemini", "--archive", work / "archive.db", *arguments], cwd=root, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return time.perf_counter() - started, done.stdout

    run("sync", "--quiet")
    size = lambda name: (work / name).stat().st_size / 1e6
    print(f"journals {sum(it.stat().st_size for it in chats.iterdir()) / 1e6:.1f} MB, archive {size('archive.db'):.1f} MB, index {size('archive.index.db'):.1f} MB")
    for what, limit, arguments in (("file", 0.3, ["origin", "src/large.ts", "--json"]), ("100 commits", 3, ["origin", "HEAD~100..HEAD", "--json"]),
                                   ("files", 0.3, ["files", "src/large.ts", "--json"])):
        timed = [run(*arguments) for _ in range(options.runs)]
        best, out = min(timed)[0], timed[0][1]
        print(f"{what}: {best:.3f} s (limit {limit} s), {out.count('model')} runs by the model")

#!/usr/bin/env python3
"""Kills gemtrail while it tidies a home up, and looks for every byte.

    tests/torture/tidy_kill.py [--kills N] [--seed S] [--bin PATH]

A generated home is a year old. `tidy --yes` is killed (SIGKILL) after a random time, again and again, until nothing is
left to remove; then the home is as it was and everything begins anew. After each kill
every file of the home is on disk as it was, or the archive has all its bytes: the digests of its chunks, read with
SQLite alone, are those of the file, and `archive verify` unpacks them all. No session is half there: as long as
Gemini CLI would list it, nothing that lies beside it is gone.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
YEAR = 365 * 24 * 60 * 60


class Torture:
    def __init__(self, binary, seed, work):
        self.binary, self.random, self.work = binary, random.Random(seed), work
        self.home, self.archive = work / "corpus" / "home", work / "archive.db"
        self.env = dict(os.environ, HOME=str(work), GEMTRAIL_DATA_DIR=str(work / "data"), NO_COLOR="1")
        self.counts = collections.Counter()
        then = time.time() - YEAR
        self.files = {path: path.read_bytes() for path in self.home.rglob("*") if path.is_file()}
        for path in self.files:
            os.utime(path, (then, then))
        self.run("sync")
        self.plan = json.loads(self.run("tidy", "--older-than", "1d", "--json"))
        if not self.plan["sessions"]:
            sys.exit("there is nothing to tidy up")
        self.families = [[pathlib.Path(it) for it in session["files"]] for session in self.plan["sessions"]]

    def command(self, *arguments):
        return [self.binary, "--home", str(self.home), "--archive", str(self.archive), *arguments]

    def run(self, *arguments):
        done = subprocess.run(self.command(*arguments), env=self.env, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"exit {done.returncode} of {arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def fill(self):
        """Puts back what is gone, as it was."""
        then = time.time() - YEAR
        for path, content in self.files.items():
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                os.utime(path, (then, then))
        self.run("sync")

    def kill(self, seconds):
        child = subprocess.Popen(
            self.command("tidy", "--older-than", "1d", "--yes", "--quiet"), env=self.env,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            child.wait(timeout=seconds)
            self.counts["too late"] += 1
            return 0
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            self.counts["killed"] += 1
            return 1

    def has(self, connection, path, content):
        """True if the digests of the last version in the archive are those of this content."""
        below = str(path.relative_to(self.home / ".gemini"))
        row = connection.execute(
            "SELECT version.bytes, content.chunks FROM file JOIN version ON version.file = file.id "
            "JOIN content ON content.id = version.content WHERE file.path = ? ORDER BY version.id DESC LIMIT 1", (below,)
        ).fetchone()
        if row is None or row[0] != len(content):
            return False
        at = 0
        for number in range(0, len(row[1]), 8):
            chunk = int.from_bytes(row[1][number:number + 8], "little")
            digest, length = connection.execute("SELECT hash, bytes FROM chunk WHERE id = ?", (chunk,)).fetchone()
            if hashlib.sha256(content[at:at + length]).digest() != digest:
                return False
            at += length
        return at == len(content)

    def look(self):
        gone = 0
        with sqlite3.connect(self.archive) as connection:
            noted = {path for (path,) in connection.execute("SELECT path FROM tidied")}
            for path, content in self.files.items():
                if path.exists():
                    if path.read_bytes() != content:
                        sys.exit(f"{path} is not as it was")
                elif not self.has(connection, path, content):
                    sys.exit(f"{path} is missing from both places; see {self.work}")
                elif str(path) not in noted:
                    sys.exit(f"{path} is gone, and the log does not say so")
                else:
                    gone += 1
        self.run("archive", "verify")
        for family in self.families:
            journals = [path for path in family if path.parent.name == "chats"]
            is_listed = journals and all(path.exists() for path in journals)
            if is_listed and not all(path.exists() for path in family):
                sys.exit(f"half a session is left: {family}")
        meant = {path for family in self.families for path in family}
        unmeant = [path for path in self.files if not path.exists() and path not in meant]
        if unmeant:
            sys.exit(f"this was in no plan: {unmeant}")
        self.counts["looks"] += 1
        if 0 < gone < len(meant):
            self.counts["killed in the middle of removing"] += 1
        return gone

    def round(self, kills):
        start = time.perf_counter()
        self.run("tidy", "--older-than", "1d", "--yes", "--quiet")
        whole = time.perf_counter() - start
        if self.look() != self.plan["files"]:
            sys.exit("a whole run does not remove everything that was planned")
        self.fill()
        done = 0
        while done < kills:
            done += self.kill(self.random.uniform(whole * 0.2, whole * 1.05))
            if self.look() == self.plan["files"] or self.random.random() < 0.4:
                self.fill()
        self.run("tidy", "--older-than", "1d", "--yes", "--quiet")
        if self.look() != self.plan["files"]:
            sys.exit("a run after a killed one does not finish its work")
        self.fill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", default=str(ROOT / "target" / "debug" / "gemtrail"))
    args = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="gemtrail-tidy-")).resolve()
    generator = [sys.executable, str(ROOT / "tools" / "gen_corpus.py"), "--out", str(work / "corpus"), "--size", "small"]
    subprocess.run(generator, check=True, stdout=subprocess.DEVNULL)
    torture = Torture(os.path.abspath(args.bin), args.seed, work)
    torture.round(args.kills)
    for what, count in sorted(torture.counts.items()):
        print(f"{count:6} {what}")
    print("nothing was ever missing from both places")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()

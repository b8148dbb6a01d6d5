#!/usr/bin/env python3
"""Scores `gemtrail origin` on recorded projects whose truth is known line by line.

    tools/origin_cases.py target/debug/gemtrail DIR [CASE …]

DIR/CASE/ has gemini/ (a home), repo.bundle (the repository, branch main), tree/ (uncommitted files over it) and truth.json. Each case is asked
from the disk and from the archive after the home was deleted, in a clone elsewhere (the project moved), in one whose former root is named, and
with --in-place at the recorded root, which must not exist yet. A line is wrong if a session is named that did not write it, or the person's
part is called the model's; recall counts lines that can be known. Exits 1 if a line is wrong or recall is below 99.6 %."""
import argparse, collections, json, os, pathlib, shutil, subprocess, sys, tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("gemtrail")
parser.add_argument("directory", type=pathlib.Path)
parser.add_argument("cases", nargs="*")
parser.add_argument("--in-place", action="store_true")
parser.add_argument("--verbose", action="store_true")
options = parser.parse_args()
gemtrail = str(pathlib.Path(options.gemtrail).resolve())
REFERENCE = 0.996


def run(*command, cwd=None, env=None):
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def tells(text):
    return any(c.isalnum() for c in text)


class Score:
    def __init__(self):
        self.lines, self.known, self.right, self.wrong, self.commits, self.named = 0, 0, 0, [], 0, []

    def line(self, where, text, owner, may, found):
        """One line: its owner in the truth, and the run that gemtrail has for it."""
        if not tells(text):
            return
        self.lines += 1
        has = found.get("by", "unknown") != "unknown"
        if owner is None:
            if has:
                self.wrong.append(f"{where}: nobody's, but {found}")
            return
        same = has and found["session"] == owner["session"] and found["prompt"].strip() == owner["prompt"].strip() and found["by"] == owner["by"]
        if not may and not owner.get("blind"):
            self.known += 1
            self.right += same
            if not same and not has and options.verbose:
                print(f"    missed {where}: {owner['by']} {owner['version']} {owner['tool']} {owner['prompt']!r}")
        if has and not same:
            self.wrong.append(f"{where}: {owner['by']} {owner['session'][:8]} {owner['prompt']!r}, but {found}")


def lines_of(runs):
    return {number: run for run in runs for number in range(run["start"], run["end"] + 1)}


def score(case, truth, clone, gemini, archive, named, total):
    extra = ["--project-root", truth["root"]] if named else []
    base = [gemtrail, "--home", gemini, *(["--archive", archive] if archive else [])]
    env = {"PATH": os.environ["PATH"], "HOME": str(gemini.parent), "GIT_CONFIG_GLOBAL": "/dev/null"}
    owners = truth["owners"]
    at = lambda index: None if index < 0 else owners[index]
    for name, runs in truth["files"].items():
        path = clone / name
        if not path.is_file():
            continue
        texts = path.read_bytes().decode(errors="replace").split("\n")
        document = json.loads(run(*base, "origin", "--json", *extra, name, cwd=clone, env=env))
        found, number = lines_of(document["lines"]), 0
        for owner, may, count in runs:
            for _ in range(count):
                number += 1
                total.line(f"{case} {name}:{number}", texts[number - 1], at(owner), may, found.get(number, {}))
    wanted = {commit["sha"]: commit for commit in truth["commits"]}
    commits = json.loads(run(*base, "origin", "--json", *extra, "HEAD", cwd=clone, env=env))["commits"]
    root = run("git", "rev-list", "--max-parents=0", "HEAD", cwd=clone).split()[-1]
    commits += json.loads(run(*base, "origin", "--json", *extra, f"{root}..HEAD", cwd=clone, env=env))["commits"]
    for commit in {it["commit"]: it for it in commits}.values():
        known = wanted.get(commit["commit"])
        if known is None:
            continue
        total.commits += 1
        added = known["added"]
        by_file = {file["file"]: lines_of(file["lines"]) for file in commit["files"]}
        for name, lines in added.items():
            texts = subprocess.run(["git", "show", f"{commit['commit']}:{name}"], cwd=clone, capture_output=True).stdout.decode(errors="replace").split("\n")
            for number, owner, may in lines:
                total.line(f"{case} {commit['commit'][:8]} ({known['kind']}) {name}:{number}", texts[number - 1], at(owner), may, by_file.get(name, {}).get(number, {}))
        if known["kind"] in ("hand", "bot") and any("session" in line for file in commit["files"] for line in file["lines"]):
            total.named.append(f"{case} {commit['commit'][:8]} ({known['kind']}): a session is named")


def main():
    cases = options.cases or sorted(it.name for it in options.directory.iterdir() if (it / "truth.json").is_file())
    totals = collections.defaultdict(Score)
    for case in cases:
        source = options.directory / case
        truth = json.loads((source / "truth.json").read_text())
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            gemini, archive, clone = work / "home/.gemini", work / "archive", work / "elsewhere" / case
            shutil.copytree(source / "gemini", gemini)
            places = [("moved", clone, False), ("root named", clone, True)]
            if options.in_place:
                places.append(("in place", pathlib.Path(truth["root"]), False))
            for _, place, _ in places[::2]:
                if place.exists():
                    sys.exit(f"{place} exists")
                run("git", "-c", "core.autocrlf=false", "clone", "-q", "--branch", "main", str(source / "repo.bundle"), str(place))
                if (source / "tree").is_dir():
                    shutil.copytree(source / "tree", place, dirs_exist_ok=True)
            try:
                for kind in ("disk", "archive"):
                    if kind == "archive":
                        run(gemtrail, "--home", gemini, "--archive", archive, "sync", "--quiet")
                        shutil.rmtree(gemini)
                        gemini.mkdir()
                    for label, place, named in places:
                        score(case, truth, place, gemini, archive if kind == "archive" else None, named, totals[kind, label])
            finally:
                if options.in_place:
                    shutil.rmtree(truth["root"])
    bad = False
    for (kind, label), total in totals.items():
        recall = total.right / max(total.known, 1)
        bad |= bool(total.wrong or total.named) or recall < REFERENCE
        print(f"{kind}, {label}: {total.lines} lines, {total.commits} commits; {total.right} of {total.known} known lines right ({recall:.1%}), {len(total.wrong)} wrong, "
              f"{len(total.named)} foreign commits named")
        for wrong in (total.wrong + total.named)[: None if options.verbose else 5]:
            print(f"    {wrong}")
    sys.exit(bad)


main()

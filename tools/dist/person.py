"""A person with an empty home directory who has just installed gemtrail."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from project import ROOT

EXAMPLE = ROOT / "examples" / "home"
# What Windows programs cannot do without.
KEPT = ("SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR")


class Person:
    def __init__(self, home):
        self.home = pathlib.Path(home)
        self.env = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.env |= {"HOME": str(home), "USERPROFILE": str(home), "LOCALAPPDATA": str(self.home / "local")}
        self.env |= {"APPDATA": str(self.home / "roaming"), "TMP": str(home), "TEMP": str(home)}
        self.env |= {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

    def run(self, *command, **env):
        """Runs it; standard output, standard error and the exit code are in the answer."""
        program = shutil.which(str(command[0]), path=self.env["PATH"]) or str(command[0])
        return subprocess.run(
            [program, *map(str, command[1:])], cwd=self.home, env=self.env | env, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=300,
        )


@contextlib.contextmanager
def fresh():
    with tempfile.TemporaryDirectory(prefix="gemtrail-dist-", ignore_cleanup_errors=True) as home:
        yield Person(home)


def try_out(person, command, report, how, **env):
    """The first minute with gemtrail: list, sync, search; and its exit code when something is wrong."""
    run = lambda *arguments: person.run(*command, *arguments, **env)
    version = run("--version")
    report.check(version.returncode == 0 and version.stdout.startswith("gemtrail "), f"{how}: --version", told(version))
    listed = run("list", "--json", "--home", EXAMPLE)
    sessions = [json.loads(line) for line in listed.stdout.splitlines()] if listed.returncode == 0 else []
    report.check(len(sessions) > 5, f"{how}: list shows {len(sessions)} sessions", told(listed))
    synced = run("sync", "--home", EXAMPLE)
    report.check(synced.returncode == 0, f"{how}: sync", told(synced))
    # The person's own home is empty, so hits can only come from the archive.
    found = run("search", "--json", "--no-sync", "the")
    hits = found.stdout.count("\n")
    report.check(found.returncode == 0 and hits > 0, f"{how}: search finds {hits} hits in the archive", told(found))
    wrong = run("show", "--no-such-option")
    report.check(wrong.returncode == 2, f"{how}: wrong use exits with 2", told(wrong))


def told(ran):
    return f"exit code {ran.returncode}\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}"

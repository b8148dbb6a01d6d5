"""Everything that was said and done in Gemini CLI, as data.

    import gemtrail

    for row in gemtrail.sessions(project="api", since="7d"):
        print(row["ref"], row.get("title"))
        for message in gemtrail.read(row["ref"]):
            print(message["role"], message["text"])

The program that comes with this package does the work; documents are what it prints, and
`gemtrail.documents` has their types. What goes wrong is a `GemtrailError`. Nothing leaves the machine.
"""
from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
from typing import IO, Any, Dict, Iterator, Optional, Sequence, cast

from . import documents
from ._program import program

__all__ = ["GemtrailError", "documents", "program", "projects", "read", "run", "search", "session", "sessions", "stats"]


class GemtrailError(Exception):
    """The program could not do it. `code` is a stable word, `hint` says what may help."""

    def __init__(self, code: str, message: str, hint: Optional[str], exit_code: int) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


def sessions(
    *options: str,
    project: Optional[str] = None,
    since: Optional[str] = None,
    until: Optional[str] = None,
    model: Optional[str] = None,
    kind: Optional[str] = None,
    limit: Optional[int] = None,
    home: Optional[str] = None,
    archive: Optional[str] = None,
) -> Iterator[documents.SessionRow]:
    """The sessions, newest first, as `gemtrail list --json` has them. `options` are further ones of the command line."""
    given = _options(project=project, since=since, until=until, model=model, kind=kind, limit=limit, home=home, archive=archive)
    return cast("Iterator[documents.SessionRow]", _lines(["list", *given, *options], empty=True))


def search(
    query: str,
    *options: str,
    project: Optional[str] = None,
    role: Optional[str] = None,
    since: Optional[str] = None,
    until: Optional[str] = None,
    limit: Optional[int] = None,
    home: Optional[str] = None,
    archive: Optional[str] = None,
) -> Iterator[documents.Hit]:
    """What was found, as `gemtrail search --json` has it."""
    given = _options(project=project, role=role, since=since, until=until, limit=limit, home=home, archive=archive)
    return cast("Iterator[documents.Hit]", _lines(["search", *given, *options, "--", query], empty=True))


def session(name: str, *options: str, home: Optional[str] = None, archive: Optional[str] = None) -> documents.Session:
    """A whole session, by its reference, id, file or `latest`."""
    given = _options(home=home, archive=archive)
    return cast("documents.Session", json.loads(run("show", *given, *options, "--", name)))


def read(
    name: str, *options: str, home: Optional[str] = None, archive: Optional[str] = None
) -> Iterator[documents.MessageLine]:
    """The messages of a session, one by one; a session of any size needs little memory."""
    given = _options(home=home, archive=archive)
    for line in _lines(["export", "--format", "jsonl", *given, *options, "--", name]):
        if line["schema"].startswith("gemtrail.message/"):
            yield cast("documents.MessageLine", line)


def projects(*options: str, home: Optional[str] = None, archive: Optional[str] = None) -> Iterator[documents.ProjectRow]:
    """The projects."""
    given = _options(home=home, archive=archive)
    return cast("Iterator[documents.ProjectRow]", _lines(["projects", *given, *options], empty=True))


def stats(*options: str, home: Optional[str] = None, archive: Optional[str] = None) -> documents.StatsDocument:
    """Tokens, cost, tools and models: `gemtrail.stats("--by", "month")`."""
    given = _options(home=home, archive=archive)
    return cast("documents.StatsDocument", json.loads(run("stats", *given, *options)))


def run(*arguments: str) -> bytes:
    """Runs any command and returns what it printed, which is JSON where nothing else is asked for: `gemtrail.run("export", ref, "--format", "md")`."""
    with _running(arguments) as out:
        return out.read()


def _options(**options: object) -> Sequence[str]:
    # In one word, so that a value that starts with a hyphen is no option.
    return [f"--{name}={value}" for name, value in options.items() if value is not None]


def _lines(arguments: Sequence[str], empty: bool = False) -> Iterator[Dict[str, Any]]:
    """The lines of a command as they come. With `empty`, to find nothing is no error."""
    try:
        with _running(arguments) as out:
            for line in out:
                yield json.loads(line)
    except GemtrailError as error:
        if not empty or error.exit_code != 1:
            raise


@contextlib.contextmanager
def _running(arguments: Sequence[str]) -> Iterator[IO[bytes]]:
    # A file and no pipe: nothing has to read it while the program runs.
    with tempfile.TemporaryFile() as told:
        command = [program(), "--json", "--quiet", *arguments]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=told)
        assert child.stdout is not None
        try:
            with child.stdout as out:
                yield out
        except GeneratorExit:
            child.kill()
            raise
        finally:
            exit_code = child.wait()
        if exit_code != 0:
            told.seek(0)
            raise _error(told.read().decode("utf-8", "replace"), exit_code)


def _error(told: str, exit_code: int) -> GemtrailError:
    for line in reversed(told.splitlines()):
        with contextlib.suppress(ValueError):
            found = json.loads(line)
            if str(found.get("schema", "")).startswith("gemtrail.error/"):
                return GemtrailError(found["code"], found["message"], found.get("hint"), exit_code)
    return GemtrailError("failed", told.strip() or f"the program ended with {exit_code}", None, exit_code)

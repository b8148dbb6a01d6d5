#!/usr/bin/env python3
"""vCons of every recorded tree, made a second time from session document and record, and judged by the PyPI package.

    tests/formats/vcon.py [GEMTRAIL]

The second reading of the drafts below shares nothing with the program. The package `vcon` needs Python 3.12, zcbor
reads the CDDL; what cannot be had is named and skipped.
"""
import base64
import datetime
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests" / "vectors"
VENV = ROOT / "target" / "vcon-venv"
SCHEMA = "https://datatracker.ietf.org/doc/draft-birkholz-verifiable-agent-conversations/00/"
JSON = {"mediatype": "application/json", "encoding": "json"}
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def date(text):
    """An RFC 3339 time as vCons spell it, or None."""
    if not text or "T" not in text:
        return None
    try:
        datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return re.sub(r"\.0+(?=Z|[+-])", "", text)


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def without_none(**members):
    return {name: value for name, value in members.items() if value is not None}


def taken(document):
    """The messages that a record takes."""
    return [it for it in document["messages"] if it.get("superseded_by") not in ("rewind", "rollback")]


def with_all_subagents(document, found=None):
    """Depth first, each with its parent."""
    found = [] if found is None else found
    for subagent in document.get("subagents", []):
        found.append((subagent, document))
        with_all_subagents(subagent, found)
    return found


def call_of(parent, subagent):
    """The message and the call that started a subagent."""
    for message in taken(parent):
        for call in message.get("tool_calls", []):
            if call.get("agent") == subagent["id"]:
                return message, call
    return None, None


def agent(document, record, parent=None, is_named=True):
    meta = record["session"]["agent-meta"]
    version = meta.get("cli-version")
    environment = record["session"].get("environment", {})
    vcs = environment.get("vcs", {})
    place = without_none(cwd=environment.get("working-dir"), vcs_branch=vcs.get("branch"),
                         vcs_commit=vcs.get("revision"), vcs_repository=vcs.get("repository"))
    name = meta["cli-name"]
    if document["kind"] == "subagent":
        _, call = call_of(parent, document) if parent else (None, None)
        name = ((call or {}).get("args") or {}).get("agent_name") or "subagent"
    session = without_none(
        model_id=meta["model-id"], provider=meta["model-provider"],
        recording_agent=f"{meta['cli-name']}/{version}" if version else meta["cli-name"],
        agent_id=document["id"], parent_agent_id=document.get("parent") if document["kind"] == "subagent" else None,
        environment=place or None)
    return {"name": name, "type": "bot", "role": "agent", "validation": "none", "meta": {"agent_session": session}}


def change(call, root):
    """What a call changed, or None."""
    args, display = call.get("args") or {}, call.get("display")
    display = display if isinstance(display, dict) else {}
    if call["status"] != "success" or call["canonical"] not in ("file_write", "file_edit"):
        return None
    path = display.get("filePath") or args.get("file_path")
    if not isinstance(path, str) or not path:
        return None
    path = path.replace("\\", "/") if root and "\\" in root else path
    if root and path.startswith(root.rstrip("/") + "/"):
        path = path[len(root.rstrip("/")) + 1:]
    before = display.get("originalContent")
    after = display.get("newContent")
    if after is None and call["canonical"] == "file_write":
        after = args.get("content")
    is_new = display.get("isNewFile")
    if is_new is True or (is_new is None and "originalContent" in display and not before):
        operation = "add"
    elif is_new is False or before is not None or call["canonical"] == "file_edit":
        operation = "edit"
    else:
        operation = "write"
    lines = None
    if isinstance(after, str) and (isinstance(before, str) or operation == "add"):
        lines = line_range(before or "", after)
    digest = None
    if isinstance(after, str):
        digest = "sha512-" + base64.urlsafe_b64encode(hashlib.sha512(after.encode()).digest()).decode().rstrip("=")
    return without_none(path=path, contributor="mixed" if args.get("modified_by_user") is True else "agent",
                        operation=operation, line_range=lines, content_hash=digest, call_id=call["id"] or None)


def line_range(before, after):
    old, new = before.splitlines(True), after.splitlines(True)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return [first + 1, len(new) - last] if len(new) - last > first else None


class Reading:
    """A vCon from a session document and the records of it and its subagents."""

    def __init__(self, document, records):
        self.document, self.records = document, records
        times = [date(it.get("time")) for it in document["messages"]]
        times = sorted(filter(None, times), key=instant)
        first = [date(document.get("started")), *times[:1], date(document.get("updated"))]
        self.created = next(filter(None, first), "1970-01-01T00:00:00Z")
        self.roles = ("human", "assistant") + (("agent",) if document["kind"] == "subagent" else ())
        self.spoken = [it for it in taken(document) if it["role"] in self.roles and it["text"]]

    def dialog(self):
        record = self.records[self.document["ref"]]
        recorded = {it.get("id") for it in record["session"]["entries"]}
        application = record["session"]["agent-meta"]["cli-name"]
        return [without_none(
            type="text", start=date(it.get("time")), parties=[1 if it["role"] == "assistant" else 0], mediatype="text/plain",
            encoding="none", body=it["text"], application=application,
            message_id=it["id"] if it["id"] in recorded else None) for it in self.spoken]

    def index(self, message):
        """The entry that a message's calls belong to."""
        if any(it is message for it in self.spoken):
            return next(at for at, it in enumerate(self.spoken) if it is message)
        messages = taken(self.document)
        at = next(at for at, it in enumerate(messages) if it is message)
        places = {id(it): place for place, it in enumerate(self.spoken)}
        for later in messages[at + 1:]:
            if id(later) in places:
                if later["role"] != "assistant":
                    break
                return places[id(later)]
        earlier = [places[id(it)] for it in messages[:at] if id(it) in places]
        return earlier[-1] if earlier else 0

    def index_of_subagent(self, subagent, parent):
        if not self.spoken:
            return None
        message, _ = call_of(parent, subagent)
        if parent is self.document and message:
            return self.index(message)
        if parent is not self.document:
            _, grandparent = next(it for it in with_all_subagents(self.document) if it[0] is parent)
            return self.index_of_subagent(parent, grandparent)
        start = date(subagent.get("started"))
        places = [at for at, it in enumerate(self.spoken)
                  if start and date(it.get("time")) and instant(it["time"]) <= instant(start)]
        return places[-1] if places else 0

    def changes(self, document, party, index):
        for message in taken(document):
            for call in message.get("tool_calls", []):
                body = change(call, self.document["project"].get("path"))
                if body is None:
                    continue
                start = date(call.get("time")) or date(message.get("time")) or self.created
                yield {"purpose": "agent_file_change", "start": start, "party": party,
                       "dialog": self.index(message) if index is None else index, **JSON, "body": body}

    def vcon(self):
        document, record = self.document, self.records[self.document["ref"]]
        subagents = with_all_subagents(document)
        person = {"type": "person", "role": "user"}
        if document["kind"] == "subagent":
            person = {"name": record["session"]["agent-meta"]["cli-name"], "type": "bot", "role": "agent", "validation": "none"}
        parties = [person, agent(document, record)]
        parties += [agent(it, self.records[it["ref"]], parent) for it, parent in subagents]
        dialog = self.dialog()
        analysis, attachments = [], []
        for party, (one, parent) in enumerate([(document, None), *subagents], 1):
            meta = self.records[one["ref"]]["session"]["agent-meta"]
            place = list(range(len(dialog))) if parent is None else self.index_of_subagent(one, parent)
            analysis.append({"type": "agent_trace", "dialog": [] if place is None else place if parent is None else [place], "vendor": meta["model-provider"],
                             "product": meta["model-id"], "schema": SCHEMA, **JSON, "body": self.records[one["ref"]]})
            if dialog:
                attachments += self.changes(one, party, None if parent is None else place)
        environment = parties[1]["meta"]["agent_session"].get("environment")
        if environment and dialog:
            attachments.insert(0, {"purpose": "agent_environment", "start": self.created, "party": 1, "dialog": 0, **JSON,
                                   "body": environment})
        return without_none(
            vcon="0.4.0", uuid=self.uuid(), extensions=["agent_session"], created_at=self.created,
            updated_at=date(document.get("updated")), subject=document.get("title"), parties=parties, dialog=dialog,
            analysis=analysis, attachments=attachments or None)

    def uuid(self):
        milliseconds = int((instant(self.created) - EPOCH) / datetime.timedelta(milliseconds=1))
        digest = hashlib.sha256(f"gemtrail vcon 1\n{self.document['ref']}\n\n".encode()).digest()
        low = lambda some, bits: int.from_bytes(some, "big") & ((1 << bits) - 1)
        value = milliseconds << 80 | 8 << 76 | low(digest[:2], 12) << 64 | 2 << 62 | low(digest[2:10], 62)
        text = f"{value:032x}"
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def gemtrail(*arguments):
    ran = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True)
    assert ran.returncode in (0, 1), ran.stderr.decode()


def exported(tree, form, out):
    target = out / form
    gemtrail("--home", tree, "--no-archive", "export", "--all", "--kind", "all", "--format", form, "-o", f"{target}/")
    ending = f".{form}.json" if form != "json" else ".json"
    return {it.name.removesuffix(ending): json.loads(it.read_text()) for it in target.glob("*")}


def all_trees():
    """Every vCon of every tree, once it equals its second reading."""
    found = []
    for tree in [*sorted((ROOT / "fixtures" / "recorded").glob("*/*")), ROOT / "examples" / "home"]:
        if not tree.is_dir():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            documents, records, vcons = (exported(tree, form, pathlib.Path(scratch)) for form in ("json", "vac", "vcon"))
            by_ref = {documents[stem]["ref"]: record for stem, record in records.items()}
            for subagent, _ in (it for document in documents.values() for it in with_all_subagents(document)):
                # Subagents of old releases are listed with their parents only.
                if subagent["ref"] not in by_ref:
                    out = pathlib.Path(scratch) / f"{subagent['ref']}.vac.json"
                    gemtrail("--home", tree, "--no-archive", "export", subagent["ref"], "--format", "vac", "-o", out)
                    by_ref[subagent["ref"]] = json.loads(out.read_text())
        for stem, vcon in vcons.items():
            expected = Reading(documents[stem], by_ref).vcon()
            assert vcon == expected, f"{tree} {stem}: {difference(vcon, expected)}"
            assert vcon["analysis"][0]["body"] == records[stem]
            found.append(vcon)
    assert len(found) > 100, "recorded trees are missing"
    return found


def difference(one, other, path="$"):
    if type(one) is not type(other) or not isinstance(one, (dict, list)):
        return f"{path}: {str(one)[:200]} is not {str(other)[:200]}" if one != other else ""
    keys = one.keys() | other.keys() if isinstance(one, dict) else range(max(len(one), len(other)))
    for key in keys:
        try:
            found = difference(one[key], other[key], f"{path}[{key!r}]")
        except (KeyError, IndexError):
            found = f"{path}[{key!r}] is only in one"
        if found:
            return found
    return ""


def pythons():
    yield sys.executable
    yield from filter(None, map(shutil.which, ("python3.14", "python3.13", "python3.12")))
    yield from sorted(pathlib.Path.home().glob(".pyenv/versions/3.*/bin/python"))


def is_new_enough(python):
    ask = [python, "-c", "import sys; sys.exit(sys.version_info < (3, 12))"]
    return subprocess.run(ask, stderr=subprocess.DEVNULL).returncode == 0


def package(vcons):
    """What the package from PyPI says about them."""
    newer = next(filter(is_new_enough, pythons()), None)
    if newer is None:
        return "skipped: the package vcon needs Python 3.12"
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([newer, "-m", "venv", VENV], check=True)
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "vcon==0.10.0"]
    if subprocess.run(install, stderr=subprocess.DEVNULL).returncode:
        return "skipped: the package vcon cannot be installed"
    # It tells of every vCon on standard error.
    script = "import json, logging, sys\nlogging.disable()\nfrom vcon import Vcon\nfor it in json.load(sys.stdin):\n" \
        "    good, errors = Vcon.build_from_json(json.dumps(it)).is_valid()\n    assert good, errors\n"
    subprocess.run([python, "-c", script], input=json.dumps(vcons).encode(), check=True)
    return f"{len(vcons)} vCons are valid to the package vcon"


def cddl():
    """zcbor reads both schemas: none of their rules has a name of the prelude."""
    tools = ROOT / "target" / "zcbor-venv"
    python = tools / "bin" / "python"
    if not python.exists():
        venv.create(tools, with_pip=True)
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "zcbor==0.9.1", "cbor2<5.7"]
    if subprocess.run(install, stderr=subprocess.DEVNULL).returncode:
        return "skipped: zcbor cannot be installed"
    # zcbor takes the members of a map in the order of the schema only, so the smallest records have to do.
    least = {"vac": json.loads((VECTORS / "record-least.vac.json").read_text()), "vac-v2": {"version": "2.0.0-draft", "id": "s"}}
    with tempfile.TemporaryDirectory() as scratch:
        schema, record = pathlib.Path(scratch) / "record.cddl", pathlib.Path(scratch) / "record.json"
        for name, value in least.items():
            schema.write_bytes(subprocess.run([PROGRAM, "schema", name], check=True, capture_output=True).stdout)
            for good, value in ((True, value), (False, {"version": 1})):
                record.write_text(json.dumps(value))
                command = [tools / "bin" / "zcbor", "validate", "-c", schema, "-t", "record", "--input", record]
                ran = subprocess.run(command, capture_output=True, text=True)
                assert (ran.returncode == 0) == good, (name, value, ran.stderr)
    return "zcbor reads both schemas"


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/gemtrail").resolve()
    made = all_trees()
    print(f"{len(made)} vCons are as the drafts want them")
    vectors = [it for it in json.loads((VECTORS / "vectors.json").read_text()) if it["kind"] == "vcon" and it["verdict"] == "valid"]
    print(package(made + [json.loads((VECTORS / it["record"]).read_text()) for it in vectors]))
    print(cddl())

#!/usr/bin/env python3
"""Every recorded tree in the formats of other tools, judged by packages that nobody here wrote.

    tests/formats/validate.py [GEMTRAIL] [--full]

Packages come from PyPI into a virtual environment beside the build; what cannot be had is named
and skipped. `--full` adds the Hugging Face loader, which is large. Besides, counts of messages,
calls and tokens are held against the session document, and what validators let pass is checked
here.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = pathlib.Path(os.environ.get("GEMTRAIL_FORMATS_VENV", ROOT / "target" / "formats-venv"))
# Name to import, and what to ask pip for.
PACKAGES = {
    "atif": ["atif==1.8.0"],
    "harbor": ["--no-deps", "--ignore-requires-python", "harbor==0.25.0"],
    "openai": ["openai", "jinja2"],
    "opentelemetry.proto_json": ["--pre", "opentelemetry-proto-json", "typing_extensions"],
    "opentelemetry.proto": ["opentelemetry-proto"],
}
FULL = {"teich": ["datasets", "teich"]}


def main():
    arguments = [it for it in sys.argv[1:] if not it.startswith("--")]
    gemtrail = pathlib.Path(arguments[0] if arguments else ROOT / "target/debug/gemtrail").resolve()
    full = "--full" in sys.argv
    if not os.environ.get("GEMTRAIL_IN_VENV"):
        provide(PACKAGES | (FULL if full else {}))
        environment = dict(os.environ, GEMTRAIL_IN_VENV="1")
        arguments = [VENV / "bin" / "python", __file__, gemtrail] + ["--full"] * full
        os.execve(arguments[0], [str(it) for it in arguments], environment)
    Run(gemtrail, full).all_trees()


def provide(packages):
    """Installs what is missing; what cannot be installed is skipped later."""
    python = VENV / "bin" / "python"
    if not python.exists():
        venv.create(VENV, with_pip=True)
    for name, wanted in packages.items():
        probe = [python, "-c", f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{name}') is None)"]
        if subprocess.run(probe, stderr=subprocess.DEVNULL).returncode:
            subprocess.run([python, "-m", "pip", "install", "-q", *wanted], stderr=subprocess.DEVNULL, timeout=300)


def lines_of(text):
    # Not `splitlines`: JSON may hold other characters that end a line.
    return [line for line in text.split("\n") if line]


def optional(load):
    try:
        return load()
    except ImportError as error:
        print(f"skipped: {error}")
        return None


def harbor_model():
    from harbor.models.trajectories import Trajectory
    return Trajectory


def atif_model():
    from atif import Trajectory
    return Trajectory


def openai_adapter():
    from openai.types.chat import ChatCompletionMessageParam
    from pydantic import TypeAdapter
    return TypeAdapter(list[ChatCompletionMessageParam])


def proto_json():
    from opentelemetry.proto_json.trace.v1.trace import TracesData
    return TracesData


def proto():
    from google.protobuf import json_format
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
    return json_format, TracesData


class Run:
    def __init__(self, gemtrail, full):
        self.gemtrail = gemtrail
        self.full = full
        self.harbor = optional(harbor_model)
        self.atif = optional(atif_model)
        self.openai = optional(openai_adapter)
        self.proto_json = optional(proto_json)
        self.proto = optional(proto)
        self.checked = collections.Counter()

    def all_trees(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.scratch = pathlib.Path(scratch)
            for tree in sorted((ROOT / "fixtures" / "recorded").glob("*/*")):
                if tree.is_dir():
                    self.tree(tree)
            if self.full:
                self.hub()
        print("; ".join(f"{name} {count}" for name, count in sorted(self.checked.items())))
        assert self.checked["sessions"] > 100, "recorded trees are missing"

    def run(self, tree, *arguments):
        command = [self.gemtrail, "--home", tree, "--no-archive", *arguments]
        result = subprocess.run(command, capture_output=True, cwd=self.scratch)
        if result.returncode == 1:
            return ""
        assert result.returncode == 0, (command, result.stderr.decode())
        return result.stdout.decode()

    def export(self, tree, form, *options):
        """All sessions of a tree in one format, by the stems of their files."""
        out = self.scratch / "-".join([*tree.parts[-2:], form, *options]).replace("/", "_")
        everything = ["export", "--all", "--kind", "all", "--format", form, "--no-redact", *options]
        self.run(tree, *everything, "-o", f"{out}/")
        ending = {"atif": ".atif.json", "otel": ".otlp.jsonl", "messages": ".messages.jsonl"}
        ending = ending.get(form, ".jsonl")
        files = {it.name.removesuffix(ending): it.read_text() for it in out.glob("*")}
        if "0.61.0" not in tree.parts:
            return files
        again = self.scratch / "again"
        self.run(tree, *everything, "--force", "-o", f"{again}/")
        for it in out.glob("*"):
            assert it.read_bytes() == (again / it.name).read_bytes(), f"{it} differs on a second run"
        return files

    def documents(self, tree):
        """All sessions of a tree, subagents in their parents."""
        out = self.scratch / "-".join([*tree.parts[-2:], "json"])
        self.run(tree, "export", "--all", "--kind", "all", "--format", "json", "-o", f"{out}/")
        return {it.name.removesuffix(".json"): json.loads(it.read_text()) for it in out.glob("*")}

    def tree(self, tree):
        documents = self.documents(tree)
        if not documents:
            return
        self.checked["sessions"] += len(documents)
        for stem, text in self.export(tree, "atif").items():
            self.check_atif(documents[stem], json.loads(text))
        for content in (False, True):
            exported = self.export(tree, "otel", *["--content"] * content)
            for stem, text in exported.items():
                self.check_otel(documents[stem], text, content)
        for form in ("string", "object"):
            exported = self.export(tree, "messages", "--arguments", form, "--thoughts")
            for stem, text in exported.items():
                self.check_messages(documents[stem], text, form)
        for stem, text in self.export(tree, "sts").items():
            self.check_sts(documents[stem], text)
        for stem, text in self.export(tree, "sts", "--style", "pi").items():
            self.check_pi(documents[stem], text)

    # --- atif

    def check_atif(self, document, trajectory):
        if self.harbor:
            self.harbor.model_validate(trajectory)
        if self.atif:
            self.atif.model_validate(trajectory)
        self.checked["atif"] += 1
        taken_back = ("rewind", "rollback")
        messages = [it for it in document["messages"] if it.get("superseded_by") not in taken_back]
        spoken = [it for it in messages if it["role"] not in ("info", "warning", "error", "unknown")]
        steps = trajectory["steps"]
        if spoken:
            assert [it["extra"]["gemtrail"]["id"] for it in steps] == [it["id"] for it in spoken]
        calls = [call for it in spoken for call in it.get("tool_calls", [])]
        ids = [call["tool_call_id"] for it in steps for call in it.get("tool_calls", [])]
        assert len(ids) == len(set(ids)) == len(calls), "every call once"
        results = [it["source_call_id"] for step in steps if step.get("tool_calls") for it in step["observation"]["results"]]
        assert results == ids, "every call has its result"
        total = collections.Counter()
        for it in spoken:
            tokens = (it.get("tokens") if it["role"] == "assistant" else None) or {}
            total["prompt"] += tokens.get("input", 0) + tokens.get("tool", 0)
            total["completion"] += tokens.get("output", 0) + tokens.get("thoughts", 0)
            total["cached"] += tokens.get("cached", 0)
        final = trajectory["final_metrics"]
        for name in ("prompt", "completion", "cached"):
            assert final[f"total_{name}_tokens"] == total[name], name
        assert final["total_steps"] == len(steps)
        embedded = {it["trajectory_id"] for it in trajectory.get("subagent_trajectories", [])}
        refs = {ref["trajectory_id"] for step in steps for it in step.get("observation", {}).get("results", [])
                for ref in it.get("subagent_trajectory_ref", [])}
        assert refs <= embedded, "a reference to a subagent that is not there"
        for subagent, inner in zip(document["subagents"], trajectory.get("subagent_trajectories", [])):
            self.check_atif(subagent, inner)

    # --- otel

    def check_otel(self, document, text, content):
        self.checked["otel"] += 1
        spans = []
        for line in lines_of(text):
            data = json.loads(line)
            if self.proto_json:
                self.proto_json.from_json(line)
            if self.proto:
                self.check_proto(data)
            for resource in data["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    spans += scope["spans"]
        known = {(it["traceId"], it["spanId"]) for it in spans}
        assert len(known) == len(spans), "span ids are unique"
        for span in spans:
            assert len(span["traceId"]) == 32 and len(span["spanId"]) == 16 and span["kind"] in (1, 3)
            assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
            parent = span.get("parentSpanId")
            assert parent is None or (span["traceId"], parent) in known, "the parent is there"
        families = [document]
        for it in families:
            families += it["subagents"]
        answers = [it for session in families for it in session["messages"] if it["role"] == "assistant"]
        requests = [it for it in spans if it["kind"] == 3]
        assert len(requests) == len(answers), "one span per answer"
        calls = sum(len(it.get("tool_calls", [])) for it in answers)
        assert sum(it["name"].startswith("execute_tool ") for it in spans) == calls
        total = sum(int(value["intValue"]) for it in requests for value in self.values(it, "gen_ai.usage.input_tokens"))
        tokens = [it["tokens"] for it in answers if it.get("tokens")]
        assert total == sum(it["input"] + it["tool"] for it in tokens)
        assert ("gen_ai.input.messages" in text) == (content and bool(requests))

    @staticmethod
    def values(span, key):
        return [it["value"] for it in span["attributes"] if it["key"] == key]

    def check_proto(self, data):
        """Rejects keys that do not exist; takes ids as Base64 only, so these are converted."""
        import base64
        json_format, traces = self.proto
        def convert(value):
            if isinstance(value, dict):
                return {key: base64.b64encode(bytes.fromhex(it)).decode() if key in ("traceId", "spanId", "parentSpanId")
                        else convert(it) for key, it in value.items()}
            return [convert(it) for it in value] if isinstance(value, list) else value
        json_format.ParseDict(convert(data), traces())

    # --- messages

    def check_messages(self, document, text, form):
        lines = [json.loads(line) for line in lines_of(text)]
        families = [document]
        for it in families:
            families += it["subagents"]
        current = [[it for it in session["messages"] if it["state"] == "current"] for session in families]
        answers = sum(it["role"] == "assistant" for session in current for it in session)
        calls = sum(len(it.get("tool_calls", [])) for session in current for it in session)
        assert sum(it["role"] == "assistant" for line in lines for it in line["messages"]) == answers
        assert sum(it["role"] == "tool" for line in lines for it in line["messages"]) == calls
        for line in lines:
            self.checked["messages"] += 1
            self.check_line(line["messages"], form)

    def check_line(self, messages, form):
        if self.openai and form == "string":
            for message in self.openai.validate_python(messages, strict=False):
                # Iterables are validated only when they are read.
                list(message.get("tool_calls") or [])
        waiting, seen, last = [], set(), None
        for message in messages:
            assert isinstance(message["content"], str)
            if waiting:
                assert message["role"] == "tool" and message["tool_call_id"] == waiting.pop(0)
            else:
                assert message["role"] != "tool", "an answer without a call"
            assert (last, message["role"]) != ("user", "user"), "the sides take turns"
            last = message["role"]
            for call in message.get("tool_calls", []):
                arguments = call["function"]["arguments"]
                arguments = json.loads(arguments) if form == "string" else arguments
                assert isinstance(arguments, dict) and len(call["id"]) == 9 and call["id"] not in seen
                seen.add(call["id"])
                waiting.append(call["id"])
        assert not waiting, "a call without an answer"

    # --- sts

    def check_sts(self, document, text):
        self.checked["sts"] += 1
        header, *lines = map(json.loads, lines_of(text))
        assert header["type"] == "session" and header["harness"] == "gemini-cli" and header["id"] == document["id"]
        current = [it for it in document["messages"] if it["state"] == "current"]
        messages = [it["message"] for it in lines]
        assert all(it["type"] == "message" for it in lines)
        calls = [call["id"] for it in messages for call in it.get("toolCalls", [])]
        assert calls == [it["toolCallId"] for it in messages if it["role"] == "tool"]
        assert len(calls) == sum(len(it.get("tool_calls", [])) for it in current)
        spoken = [it for it in current if it["role"] not in ("info", "warning", "error", "unknown")]
        assert len(messages) == len(spoken) + len(calls)
        for it in messages:
            assert it["role"] in ("user", "assistant", "system", "tool") and isinstance(it["content"], str)
            assert ("model" in it) == (it["role"] == "assistant")

    def check_pi(self, document, text):
        self.checked["pi"] += 1
        header, *entries = map(json.loads, lines_of(text))
        assert header["version"] == 3 and header["harness"] == "gemini-cli"
        known = {None}
        for entry in entries:
            assert entry["parentId"] in known and entry["id"] not in known and len(entry["id"]) == 8
            known.add(entry["id"])
        current = [it for it in document["messages"] if it["state"] == "current"]
        usages = [it["message"]["usage"] for it in entries if it.get("message", {}).get("role") == "assistant"]
        tokens = [it["tokens"] for it in current if it["role"] == "assistant" and it.get("tokens")]
        assert sum(it["totalTokens"] for it in usages) == sum(it["total"] for it in tokens)

    def hub(self):
        """What the Hugging Face Hub would make of both styles."""
        try:
            import teich  # noqa: F401
            from datasets import load_dataset
        except ImportError as error:
            print(f"skipped: {error}")
            return
        for style in ("sts", "pi"):
            tree = ROOT / "fixtures/recorded/0.61.0/tools"
            out = self.scratch / f"hub-{style}"
            self.run(tree, "export", "--all", "--format", "sts", "--style", style, "-o", f"{out}/")
            rows = load_dataset(str(out), split="train", cache_dir=str(self.scratch / "cache"))
            assert "trace" in rows.column_names and rows[0]["harness"], rows.column_names
            self.checked[f"hub {style}"] += len(rows)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Every recorded tree in the formats of other tools, judged by packages that nobody here wrote.

    tests/formats/validate.py [GEMTRAIL] [--full]

Packages come from PyPI into a virtual environment beside the build; what cannot be had is named
and skipped. `--full` adds the Hugging Face loader, which is large, and chat templates. What a
package has read and writes again must be what it was given. Besides, messages, calls and tokens are
held against the session document, one by one, and what validators let pass is checked here.
"""

import collections
import datetime
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
FULL = {"teich": ["datasets", "teich"], "trl": ["--no-deps", "trl"]}
# Chat templates that take calls as objects, several in one message, and show their answers.
TEMPLATES = ["qwen2_5", "qwen3", "qwen3_6", "glm4moe", "gemma4"]
# What the user interface said.
ASIDE = ("info", "warning", "error", "unknown")


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
            install = [python, "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check", *wanted]
            try:
                subprocess.run(install, stderr=subprocess.DEVNULL, timeout=900)
            except subprocess.TimeoutExpired:
                print(f"{name} could not be installed in time")


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


def templates():
    """The chat templates of `trl`, by name."""
    import importlib.util

    import jinja2.ext
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    found = importlib.util.find_spec("trl")
    if found is None:
        raise ImportError("trl")
    # As the transformers library sets it up.
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols])
    environment.filters["tojson"] = lambda it, **_: json.dumps(it, ensure_ascii=False)
    environment.globals["strftime_now"] = lambda _: "2026-11-17"
    def complain(text):
        raise AssertionError(text)
    environment.globals["raise_exception"] = complain
    files = pathlib.Path(found.submodule_search_locations[0]).joinpath("chat_templates").glob("*.jinja")
    return {it.stem: environment.from_string(it.read_text()) for it in files if it.stem in TEMPLATES}


def is_said(content, text):
    """Whether a text is said, perhaps with attachments named after it."""
    text = text or ""
    return content == text or content.startswith(f"{text}\n[" if text else "[")


def is_told(content, call):
    """Whether it is what the model was told about a call."""
    text = call["output"] if call.get("output") is not None else call.get("error")
    if text is None:
        return content.startswith("[")
    return is_said(content, text)


def text_in(content):
    """The text of what the user's side says, which may have images."""
    if isinstance(content, str):
        return content
    for part in content:
        assert part["type"] == "text" or part["image_url"]["url"].startswith("data:image/")
    return "".join(part["text"] for part in content if part["type"] == "text")


def arguments_of(call):
    args = call.get("args")
    return args if isinstance(args, dict) else {}


def with_subagents(document):
    families = [document]
    for it in families:
        families += it["subagents"]
    return families


def tokens_of(messages):
    """The sums of the counters of these answers."""
    total = collections.Counter()
    for message in messages:
        if message["role"] == "assistant":
            total.update(message.get("tokens") or {})
    return total


class Run:
    def __init__(self, gemtrail, full):
        self.gemtrail = gemtrail
        self.full = full
        self.harbor = optional(harbor_model)
        self.atif = optional(atif_model)
        self.openai = optional(openai_adapter)
        self.proto_json = optional(proto_json)
        self.proto = optional(proto)
        self.templates = (optional(templates) or {}) if full else {}
        self.checked = collections.Counter()
        # What the Hub is shown: the text of each file.
        self.exported = {}

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
            self.exported["-".join([*tree.parts[-2:], stem])] = text

    # --- atif

    def check_atif(self, document, trajectory):
        for model in filter(None, (self.harbor, self.atif)):
            again = model.model_validate(trajectory).model_dump(mode="json", exclude_none=True)
            assert same_times(again) == same_times(without_none(trajectory)), f"{model}: not what it was given"
        self.checked["atif"] += 1
        taken_back = ("rewind", "rollback")
        messages = [it for it in document["messages"] if it.get("superseded_by") not in taken_back]
        spoken = [it for it in messages if it["role"] not in ASIDE]
        steps = trajectory["steps"]
        if spoken:
            assert [it["extra"]["gemtrail"]["id"] for it in steps] == [it["id"] for it in spoken]
        for step, message in zip(steps, spoken):
            if message["role"] != "tool":
                assert is_said(step["message"], message["text"])
        calls = [call for it in spoken for call in it.get("tool_calls", [])]
        made = [call for it in steps for call in it.get("tool_calls", [])]
        ids = [call["tool_call_id"] for call in made]
        assert len(ids) == len(set(ids)) == len(calls), "every call once"
        results = [it for step in steps if step.get("tool_calls") for it in step["observation"]["results"]]
        assert [it["source_call_id"] for it in results] == ids, "every call has its result"
        for call, it, result in zip(calls, made, results):
            assert (it["function_name"], it["arguments"]) == (call["name"], arguments_of(call))
            assert is_told(result["content"], call)
        tokens = tokens_of(spoken)
        final = trajectory["final_metrics"]
        assert final["total_prompt_tokens"] == tokens["input"] + tokens["tool"]
        assert final["total_completion_tokens"] == tokens["output"] + tokens["thoughts"]
        assert final["total_cached_tokens"] == tokens["cached"]
        each = [it["metrics"] for it in steps if it.get("metrics")]
        assert sum(it["prompt_tokens"] for it in each) == final["total_prompt_tokens"]
        assert sum(it["extra"]["total_tokens"] for it in each) == tokens["total"]
        assert final["total_steps"] == len(steps)
        embedded = {it["trajectory_id"] for it in trajectory.get("subagent_trajectories", [])}
        refs = {ref["trajectory_id"] for step in steps for it in step.get("observation", {}).get("results", [])
                for ref in it.get("subagent_trajectory_ref", [])}
        assert refs <= embedded, "a reference to a subagent that is not there"
        assert len(embedded) == len(document["subagents"])
        for subagent, inner in zip(document["subagents"], trajectory.get("subagent_trajectories", [])):
            self.check_atif(subagent, inner)

    # --- otel

    def check_otel(self, document, text, content):
        self.checked["otel"] += 1
        spans = []
        for line in lines_of(text):
            data = json.loads(line)
            if self.proto_json:
                again = json.loads(self.proto_json.from_json(line).to_json())
                assert without_defaults(again) == without_defaults(data), "not what it was given"
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
        answers = [it for session in with_subagents(document) for it in session["messages"] if it["role"] == "assistant"]
        requests = [it for it in spans if it["kind"] == 3]
        assert len(requests) == len(answers), "one span per answer"
        calls = [call for it in answers for call in it.get("tool_calls", [])]
        executed = [it for it in spans if it["name"].startswith("execute_tool ")]
        assert sorted(it["name"] for it in executed) == sorted(f"execute_tool {call['name']}" for call in calls)
        tokens = tokens_of(answers)
        for key, wanted in (("input_tokens", tokens["input"] + tokens["tool"]), ("cache_read.input_tokens", tokens["cached"]),
                            ("output_tokens", tokens["output"] + tokens["thoughts"]), ("reasoning.output_tokens", tokens["thoughts"])):
            found = [int(value["intValue"]) for it in requests for value in self.values(it, f"gen_ai.usage.{key}")]
            assert sum(found) == wanted, key
        assert ("gen_ai.input.messages" in text) == (content and bool(requests))
        if content:
            self.check_content(requests, executed, answers, calls)

    def check_content(self, requests, executed, answers, calls):
        """What was said, by the rules of the conventions."""
        texts = []
        for span in requests:
            [sent], [said] = (self.values(span, f"gen_ai.{it}.messages") for it in ("input", "output"))
            for message in json.loads(sent["stringValue"]):
                assert message["role"] in ("user", "tool") and message["parts"]
                first, *images = message["parts"]
                kind = {"user": "text", "tool": "tool_call_response"}[message["role"]]
                assert first["type"] == kind and isinstance(first["content" if kind == "text" else "response"], str)
                for image in images:
                    assert (image["type"], image["modality"]) == ("blob", "image") and image["mime_type"] and image["content"]
            [answer] = json.loads(said["stringValue"])
            assert answer["role"] == "assistant" and answer["finish_reason"] in ("stop", "tool_call")
            assert all(it["type"] in ("text", "reasoning", "tool_call", "blob") for it in answer["parts"])
            texts.append("".join(it["content"] for it in answer["parts"] if it["type"] == "text"))
        assert collections.Counter(texts) == collections.Counter(
            next(text for text in texts if is_said(text, it["text"])) for it in answers), "every answer is there"
        found = [json.loads(value["stringValue"]) for it in executed for value in self.values(it, "gen_ai.tool.call.arguments")]
        order = lambda values: sorted(json.dumps(it, sort_keys=True) for it in values)
        assert order(found) == order(arguments_of(call) for call in calls)

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
        lines = [json.loads(line)["messages"] for line in lines_of(text)]
        spoken = []
        for session in with_subagents(document):
            current = [it for it in session["messages"] if it["state"] == "current" and it["role"] not in (*ASIDE, "tool")]
            if current:
                spoken.append(current)
        assert len(lines) == len(spoken), "a line for each session in which something was said"
        for line, session in zip(lines, spoken):
            self.checked["messages"] += 1
            self.check_line(line, form)
            self.check_said(line, session, form)
            if form == "object" and self.templates:
                self.check_templates(line)

    def check_said(self, line, session, form):
        """Everything is there, in order."""
        answers = [it for it in session if it["role"] == "assistant"]
        found = [it for it in line if it["role"] == "assistant"]
        assert len(found) == len(answers)
        for it, answer in zip(found, answers):
            assert is_said(it["content"], answer["text"])
        calls = [call for answer in answers for call in answer.get("tool_calls", [])]
        made = [call for it in found for call in it.get("tool_calls", [])]
        told = [it for it in line if it["role"] == "tool"]
        assert len(calls) == len(made) == len(told)
        for call, it, answer in zip(calls, made, told):
            arguments = it["function"]["arguments"]
            arguments = json.loads(arguments) if form == "string" else arguments
            assert (it["function"]["name"], arguments) == (call["name"], arguments_of(call))
            assert is_told(answer["content"], call)
        typed = "\0".join(text_in(it["content"]) for it in line if it["role"] == "user")
        at = 0
        for message in session:
            if message["role"] != "assistant" and message["text"]:
                at = typed.index(message["text"], at) + len(message["text"])

    def check_templates(self, line):
        """What a model would be trained on has every answer and every result of a tool."""
        if not all(isinstance(message["content"], str) for message in line):
            # These are templates of models that see nothing.
            return
        for name, template in self.templates.items():
            text = template.render(messages=line, add_generation_prompt=False, bos_token="", eos_token="", tools=None)
            for message in line:
                if message["role"] == "tool" or message["role"] == "user":
                    assert message["content"].strip()[:40] in text, f"{name} loses {message['content'][:40]!r}"
            self.checked[f"template {name}"] += 1

    def check_line(self, messages, form):
        if self.openai and form == "string":
            for message in self.openai.validate_python(messages, strict=False):
                # Iterables are validated only when they are read.
                list(message.get("tool_calls") or [])
        waiting, seen, last = [], set(), None
        for message in messages:
            assert isinstance(message["content"], str) or message["role"] == "user"
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
        made = [call for it in messages for call in it.get("toolCalls", [])]
        told = [it for it in messages if it["role"] == "tool"]
        assert [it["id"] for it in made] == [it["toolCallId"] for it in told]
        spoken = [it for it in current if it["role"] not in ASIDE]
        self.check_calls(spoken, [(it["function"]["name"], json.loads(it["function"]["arguments"])) for it in made], [it["content"] for it in told])
        said = [it for it in messages if it["role"] != "tool"]
        assert len(said) == len(spoken)
        for it, message in zip(said, spoken):
            assert is_said(it["content"], message["text"])
            assert ("reasoningContent" in it) == any(thought["subject"] or thought["text"] for thought in message.get("thoughts", []))
        for it in messages:
            assert it["role"] in ("user", "assistant", "system", "tool") and isinstance(it["content"], str)
            assert ("model" in it) == (it["role"] == "assistant")

    def check_calls(self, spoken, made, told):
        calls = [call for it in spoken for call in it.get("tool_calls", [])]
        assert made == [(call["name"], arguments_of(call)) for call in calls]
        assert len(told) == len(calls) and all(is_told(*it) for it in zip(told, calls))

    def hub(self):
        """What the Hugging Face Hub makes of every recorded session."""
        try:
            import teich  # noqa: F401
            from datasets import disable_progress_bars, load_dataset
        except ImportError as error:
            print(f"skipped: {error}")
            return
        disable_progress_bars()
        files = self.exported
        out = self.scratch / "hub"
        out.mkdir()
        for name, text in files.items():
            (out / f"{name}.jsonl").write_text(text)
        rows = load_dataset(str(out), split="train", cache_dir=str(self.scratch / "cache"))
        assert {"trace", "harness", "session_id"} <= set(rows.column_names), rows.column_names
        assert len(rows) == len(files), "a row for each session"
        for row in rows:
            name = pathlib.PurePath(row["file_path"]).name.removesuffix(".jsonl")
            lines = [json.loads(it) for it in lines_of(files[name])]
            trace = [json.loads(it) if isinstance(it, str) else it for it in row["trace"]]
            assert trace == lines, f"{name}: not what it was given"
        self.checked["hub"] += len(rows)


def without_none(value):
    if isinstance(value, dict):
        return {key: without_none(it) for key, it in value.items() if it is not None}
    return [without_none(it) for it in value] if isinstance(value, list) else value


def same_times(value):
    """Times by their moment, and numbers as such: both have several spellings."""
    if isinstance(value, dict):
        return {key: same_times(it) for key, it in value.items()}
    if isinstance(value, list):
        return [same_times(it) for it in value]
    if isinstance(value, str) and value.endswith("Z") and value[4:5] == "-" and "T" in value[:12]:
        try:
            return datetime.datetime.fromisoformat(value).isoformat()
        except ValueError:
            return value
    return value


def without_defaults(value):
    """Protocol buffers do not write what is empty or zero."""
    if isinstance(value, dict):
        kept = {key: without_defaults(it) for key, it in value.items()}
        return {key: it for key, it in kept.items() if it not in ({}, [], "", 0, "0", False)}
    return [without_defaults(it) for it in value] if isinstance(value, list) else value


if __name__ == "__main__":
    main()

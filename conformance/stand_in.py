"""A scripted stand-in for the Gemini API, on loopback only.

What it answers depends on the request alone: on the last scripted prompt among the `contents`, and on how many turns of
the model follow it. So a session can be stopped, moved, restored and resumed, and the script goes on where it was.

A script maps prompts to steps; a step is a dict with any of
  thoughts  list of strings
  text      string
  calls     list of (tool, arguments); a tool that the client does not declare is left out (see tools.py)
  usage     (prompt, candidates, thoughts, cached) token counts
  fail      list of faults, one for each attempt before the step succeeds: an HTTP status, "cut" or "empty"
  late      seconds before the answer comes: a person does not wait for it

`served` is what the client got: for each answer of a turn the prompt, the text, the calls, the tokens, the fault.
"""
import json
import re
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tools import declared, fill, fitted

UNSCRIPTED = "(unscripted)"
SNAPSHOT = "<state_snapshot><overall_goal>Carry on.</overall_goal></state_snapshot>"
SUMMARY = "A scripted conversation"
STATUS = {400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}
# What a subagent does: it looks at a file and is done.
AGENT = [{"text": "Looking.", "calls": [("read_file", {"file": "{P}/notes.txt"})], "usage": (600, 10, 3, 0)},
         {"calls": [("complete_task", {})], "usage": (700, 20, 0, 0)}]


class StandIn:
    """The stand-in, running for as long as a `with` block lasts; `requests` is what it was asked."""

    def __init__(self, script, project="."):
        self.script, self.project, self.requests, self.served = script, project, [], []
        self._lock, self._attempts = threading.Lock(), {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._server.handle_error = _unless_gone
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def take(self, request):
        with self._lock:
            self.requests.append(request)

    def answer(self, request):
        """The HTTP status, the parts of the answer, the tokens it took, and how it ends."""
        system = "\n".join(texts(request.body.get("systemInstruction") or {}))
        if "state_snapshot" in system:
            return 200, [{"text": SNAPSHOT}], None, "STOP"
        if not request.is_turn:
            schema = request.schema
            return 200, [{"text": json.dumps(fill(schema)) if schema else SUMMARY}], None, "STOP"
        tools = declared(request.body)
        if "complete_task" in tools:
            turns = sum(1 for content in request.contents if content.get("role") == "model")
            return self._give("", AGENT[min(turns, len(AGENT) - 1)], tools, "agent")
        prompt, step = self._step(request.contents)
        fault = self._fault(prompt, step)
        if fault:
            return self._fail(prompt, step, fault)
        return self._give(prompt, step, tools, "main")

    def _fault(self, prompt, step):
        with self._lock:
            key = (prompt, id(step))
            tried = self._attempts[key] = self._attempts.get(key, -1) + 1
        faults = step.get("fail", [])
        return faults[tried] if tried < len(faults) else None

    def _fail(self, prompt, step, fault):
        part = (step.get("text") or "")[:8] if fault == "cut" else ""
        # An answer that is cut off or empty costs tokens, too.
        usage = None if isinstance(fault, int) else step.get("usage") or (100, 3, 0, 0)
        self.served.append({"kind": "main", "prompt": prompt, "text": part, "calls": [], "usage": usage, "fault": fault})
        if isinstance(fault, int):
            return fault, None, None, None
        return 200, [{"text": part}], usage, None if fault == "cut" else "STOP"

    def _give(self, prompt, step, tools, kind):
        parts = [{"text": thought, "thought": True} for thought in step.get("thoughts", [])]
        calls = [fitted(name, arguments, tools, self.project) for name, arguments in step.get("calls", [])]
        calls = [call for call in calls if call]
        text = step.get("text") or ("" if calls else UNSCRIPTED)
        if text:
            parts.append({"text": text})
        parts += [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]
        usage = step.get("usage") or (100, 3, 0, 0)
        late = step.get("late", 0)
        self.served.append({"kind": kind, "prompt": prompt, "text": text, "calls": [name for name, _ in calls],
                            "usage": usage, "fault": "late" if late else None})
        time.sleep(late)
        return 200, parts, usage, "STOP"

    def _step(self, contents):
        for index in range(len(contents) - 1, -1, -1):
            if contents[index].get("role") != "user":
                continue
            words = "\n".join(texts(contents[index]))
            for prompt, steps in self.script.items():
                if prompt in words:
                    turns = sum(1 for content in contents[index + 1:] if content.get("role") == "model")
                    return prompt, steps[turns] if turns < len(steps) else {"text": UNSCRIPTED}
        return "", {"text": UNSCRIPTED}


class Request:
    """One request of the client."""

    def __init__(self, model, method, body):
        self.model, self.method, self.body = model, method, body

    @property
    def contents(self):
        contents = self.body.get("contents") or []
        return [contents] if isinstance(contents, dict) else contents

    @property
    def schema(self):
        config = self.body.get("generationConfig") or {}
        return config.get("responseJsonSchema") or config.get("responseSchema")

    @property
    def is_turn(self):
        """Whether it asks for the next turn of the conversation, and not for a route, a summary or a count."""
        return self.method.endswith("enerateContent") and bool(self.body.get("tools")) and not self.schema

    @property
    def words(self):
        """Role and text of each content that has text, thoughts left out: what the model is told was said."""
        return [(content.get("role"), "".join(texts(content))) for content in self.contents if texts(content)]

    @property
    def parts(self):
        return [part for content in self.contents for part in content.get("parts", [])]


def texts(content):
    parts = content.get("parts", []) if isinstance(content, dict) else []
    return [part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")]


def _events(parts):
    """As the service streams them: each text by itself, calls together. Old clients overlook what comes with a thought."""
    calls = [part for part in parts if "functionCall" in part]
    return [[part] for part in parts if part not in calls] + ([calls] if calls else [])


def _response(model, parts, usage, finish):
    prompt, candidates, thoughts, cached = usage or (100, 3, 0, 0)
    counts = {"promptTokenCount": prompt, "candidatesTokenCount": candidates, "thoughtsTokenCount": thoughts,
              "cachedContentTokenCount": cached, "totalTokenCount": prompt + candidates + thoughts}
    candidate = {"index": 0, "content": {"role": "model", "parts": parts}}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "usageMetadata": counts, "modelVersion": model, "responseId": "scripted"}


def _unless_gone(*_):
    """A client that was killed or cancelled does not take its answer."""
    if not isinstance(sys.exc_info()[1], ConnectionError):
        traceback.print_exc()


def _handler(stand_in):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def reply(self, code, value):
            self.send(code, "application/json", json.dumps(value).encode())

        def stream(self, events):
            self.send(200, "text/event-stream", b"".join(b"data: " + json.dumps(event).encode() + b"\r\n\r\n" for event in events))

        def send(self, code, kind, data):
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            self.reply(200, {})

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            called = re.match(r"^/[^/]+/models/([^:]+):(\w+)", self.path)
            if not called:
                return self.reply(404, {})
            request = Request(called.group(1), called.group(2), body)
            stand_in.take(request)
            if request.method == "countTokens":
                return self.reply(200, {"totalTokens": 1234})
            if "mbedContent" in request.method:
                return self.reply(200, {"embeddings": [{"values": [0.0] * 8}]})
            status, parts, usage, finish = stand_in.answer(request)
            if status != 200:
                error = {"code": status, "message": f"Scripted failure {status}.", "status": STATUS[status]}
                if status == 429:
                    delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"}
                    error["details"] = [delay]
                return self.reply(status, {"error": error})
            if request.method != "streamGenerateContent":
                return self.reply(200, _response(request.model, parts, usage, finish))
            *first, last = _events(parts)
            events = [_response(request.model, event, usage, None) for event in first]
            self.stream([*events, _response(request.model, last, usage, finish)])

    return Handler

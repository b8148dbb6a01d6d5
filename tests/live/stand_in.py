"""A scripted stand-in for the Gemini API, on loopback only.

What it answers depends on the request alone: on the last scripted prompt among the `contents`, and on how many turns of
the model follow it. So a session can be stopped, moved, restored and resumed, and the script goes on where it was.

A script maps prompts to steps; a step is a dict with any of
  thoughts  list of strings
  text      string
  calls     list of (tool, arguments)
  usage     (prompt, candidates, thoughts, cached) token counts
"""
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

UNSCRIPTED = "(unscripted)"
SNAPSHOT = "<state_snapshot><overall_goal>Carry on.</overall_goal></state_snapshot>"
SUMMARY = "A scripted conversation"


class StandIn:
    """The stand-in, running for as long as a `with` block lasts; `requests` is what it was asked."""

    def __init__(self, script):
        self.script, self.requests, self._lock = script, [], threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
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
        """The parts of the answer, and the tokens it took."""
        system = "\n".join(texts(request.body.get("systemInstruction") or {}))
        if "state_snapshot" in system:
            return [{"text": SNAPSHOT}], None
        if not request.is_turn:
            schema = request.schema
            return [{"text": json.dumps(_fill(schema)) if schema else SUMMARY}], None
        step = self._step(request.contents)
        parts = [{"text": thought, "thought": True} for thought in step.get("thoughts", [])]
        if step.get("text"):
            parts.append({"text": step["text"]})
        parts += [{"functionCall": {"name": name, "args": args}} for name, args in step.get("calls", [])]
        return parts, step.get("usage")

    def _step(self, contents):
        for index in range(len(contents) - 1, -1, -1):
            if contents[index].get("role") != "user":
                continue
            words = "\n".join(texts(contents[index]))
            for prompt, steps in self.script.items():
                if prompt in words:
                    turns = sum(1 for content in contents[index + 1:] if content.get("role") == "model")
                    return steps[turns] if turns < len(steps) else {"text": UNSCRIPTED}
        return {"text": UNSCRIPTED}


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


def _fill(schema):
    """A smallest value that fits a JSON schema."""
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("anyOf"):
        return _fill(schema["anyOf"][0])
    kind = schema.get("type", "string")
    kind = (kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        members = schema.get("properties", {})
        return {name: _fill(members.get(name, {})) for name in schema.get("required", members)}
    return {"array": [], "number": 1, "integer": 1, "boolean": False}.get(kind, "scripted")


def _response(model, parts, usage):
    prompt, candidates, thoughts, cached = usage or (100, 3, 0, 0)
    counts = {"promptTokenCount": prompt, "candidatesTokenCount": candidates, "thoughtsTokenCount": thoughts,
              "cachedContentTokenCount": cached, "totalTokenCount": prompt + candidates + thoughts}
    candidate = {"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
    return {"candidates": [candidate], "usageMetadata": counts, "modelVersion": model, "responseId": "scripted"}


def _handler(stand_in):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def reply(self, code, value, stream=False):
            data = json.dumps(value).encode()
            if stream:
                data = b"data: " + data + b"\r\n\r\n"
            self.send_response(code)
            self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
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
            parts, usage = stand_in.answer(request)
            self.reply(200, _response(request.model, parts, usage), request.method == "streamGenerateContent")

    return Handler

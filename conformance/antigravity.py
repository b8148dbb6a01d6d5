#!/usr/bin/env python3
"""Released engines of Antigravity, from PyPI, held against what gemtrail reads.

    conformance/antigravity.py                                   two releases, as in CI
    conformance/antigravity.py --versions 0.1.5,0.1.10,0.1.13,0.1.17,0.1.20,0.1.22
    conformance/antigravity.py --copies 300                      so many readings while the engine writes

Each engine runs in a home of its own, in a network namespace where that is allowed, and talks to a scripted model on loopback. Compared: prompts, answers,
thoughts, calls with results and exit codes, tokens, edits, from the disk, after a kill, and from the archive once the conversations are deleted; readings during
the run never shrink, and the home stays as it is. Without PyPI there is nothing to check: that is said, and the exit code is 0.

environment:
  GEMTRAIL             the program (target/debug/gemtrail)
  GEMTRAIL_LIVE_CACHE  where engines are kept (target/antigravity)
"""
import argparse
import base64
import hashlib
import http.server
import json
import os
import pathlib
import queue
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("GEMTRAIL", str(ROOT / "target/debug/gemtrail"))
CACHE = pathlib.Path(os.environ.get("GEMTRAIL_LIVE_CACHE", ROOT / "target/antigravity"))
CI = ["0.1.8", "0.1.22"]
MODEL = "gemini-3-pro-scripted"
BEFORE = "def add(a, b):\n    return a + b\n"
AFTER = "def plus(a, b):\n    return a + b\n"


def engine(version):
    """The engine's program, or None if PyPI cannot be reached."""
    place = CACHE / version / "localharness"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", place.parent, f"google-antigravity=={version}"]
        if subprocess.run(command, capture_output=True).returncode:
            return None
        with zipfile.ZipFile(next(place.parent.glob("*.whl"))) as wheel:
            name = next(it for it in wheel.namelist() if it.endswith("/bin/localharness"))
            place.write_bytes(wheel.read(name))
        place.chmod(0o755)
    return place


class Model:
    """Answers requests of the engine in order; whoever declares no tools is a helper."""

    def __init__(self):
        self.answers, self.served = [], []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def body(self):
                if self.headers.get("transfer-encoding", "").lower() != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length") or 0))
                whole = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    whole += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return whole

            def do_POST(self):
                request = json.loads(self.body() or b"{}")
                if not self.path.split("?")[0].endswith("enerateContent"):
                    return self.answer(b'{"totalTokens":1000}', "application/json")
                time.sleep(model.delay)
                event = json.dumps(model.next(request))
                if "stream" in self.path:
                    return self.answer(f"data: {event}\r\n\r\n".encode(), "text/event-stream")
                self.answer(event.encode(), "application/json")

            def answer(self, body, kind):
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    pass

        self.delay = 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self, request):
        is_helper = not request.get("tools")
        answer = {"text": "A helper's answer."} if is_helper or not self.answers else self.answers.pop(0)
        if not is_helper:
            self.served.append(answer)
        parts = [{"text": answer["thinking"], "thought": True}] if "thinking" in answer else []
        parts += [{"text": answer["text"]}] if "text" in answer else []
        parts += [{"functionCall": call} for call in answer.get("calls", [])]
        prompt, cached, output, thoughts = answer.get("usage", (10, 0, 3, 0))
        usage = {"promptTokenCount": prompt, "cachedContentTokenCount": cached, "candidatesTokenCount": output, "thoughtsTokenCount": thoughts,
                 "totalTokenCount": prompt + output + thoughts, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": prompt}]}
        return {"modelVersion": MODEL, "responseId": f"r{len(self.served)}", "usageMetadata": usage,
                "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": parts}}]}


class Socket:
    """A client of WebSocket, as far as the engine needs one."""

    def __init__(self, port, key):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        nonce = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET / HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {nonce}\r\n"
                            f"Sec-WebSocket-Version: 13\r\nx-goog-api-key: {key}\r\n\r\n".encode())
        self.socket.settimeout(None)
        self.stream = self.socket.makefile("rb")
        while self.stream.readline().strip():
            pass

    def send(self, value, kind=1):
        data = json.dumps(value).encode() if kind == 1 else value
        length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        mask = os.urandom(4)
        self.socket.sendall(bytes([0x80 | kind]) + length + mask + bytes(byte ^ mask[at & 3] for at, byte in enumerate(data)))

    def receive(self):
        whole = b""
        while True:
            first, second = self.stream.read(2)
            length = second & 127
            if length > 125:
                length = int.from_bytes(self.stream.read(2 if length == 126 else 8), "big")
            data = self.stream.read(length)
            if first & 15 == 8:
                raise EOFError
            if first & 15 == 9:
                self.send(data, 10)
            elif first & 15 != 10:
                whole += data
                if first & 0x80:
                    return json.loads(whole)


def field(number, data):
    length, size = len(data), b""
    while length > 127:
        size, length = size + bytes([length & 127 | 128]), length >> 7
    return bytes([number << 3 | 2]) + size + bytes([length]) + data


def fields(data):
    found, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value, shift = value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(data):
        key = number()
        value = number()
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        found[key >> 3] = value
    return found


class Engine:
    def __init__(self, version, home, model, conversation=""):
        self.minor = int(version.split(".")[2])
        app = home / ".gemini/antigravity"
        (app / "conversations").mkdir(parents=True, exist_ok=True)
        environment = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC", "SHELL": "/bin/bash"}
        self.process = subprocess.Popen([engine(version)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=home / "demo")
        hello = field(1, str(app / "conversations").encode()) + field(4, field(1, b"python") + field(2, version.encode()))
        self.process.stdin.write(struct.pack("<I", len(hello)) + hello)
        self.process.stdin.flush()
        size = self.process.stdout.read(4)
        answer = fields(self.process.stdout.read(struct.unpack("<I", size)[0]))
        for _ in range(50):
            try:
                self.socket = Socket(answer[1], answer.get(2, b"").decode())
                break
            except OSError:
                time.sleep(0.1)
        tools = ("find", "runCommand", "fileEdit", "viewFile", "writeToFile", "grepSearch", "listDir")
        endpoint = {"baseUrl": f"http://127.0.0.1:{model.port}", "apiKey": "not-a-key", "options": {"thinkingLevel": "high"}}
        config = {"appDataDir": str(app), "workspaces": [{"filesystemWorkspace": {"directory": str(home / "demo")}}],
                  "harnessSideTools": {name: {"enabled": True} for name in tools}, "systemInstructions": {"custom": {"part": [{"text": "You are a test."}]}},
                  "models": [{"name": MODEL, "types": ["MODEL_TYPE_TEXT"], "geminiApiEndpoint": endpoint}]}
        if conversation:
            config["cascadeId"] = conversation
        if self.minor >= 11:
            config["policyConfig"] = {"rules": [{"tool": "*", "name": "all", "decision": "POLICY_DECISION_ALLOW"}]}
        self.events = queue.Queue()
        self.socket.send({"config": config})
        threading.Thread(target=self.read, daemon=True).start()
        if self.minor >= 5:
            self.events.get(timeout=30)

    def read(self):
        try:
            while True:
                self.events.put(self.socket.receive())
        except (EOFError, OSError, ValueError):
            self.events.put(None)

    def say(self, text, until="idle"):
        """Says something and waits until the engine is idle, or until it has begun."""
        self.socket.send({"userInput": text if self.minor <= 10 else {"parts": [{"text": text}]}})
        begun, end = False, time.time() + 60
        while time.time() < end:
            try:
                event = self.events.get(timeout=5)
            except queue.Empty:
                continue
            if event is None:
                return False
            step = event.get("stepUpdate") or {}
            if "toolConfirmationRequest" in step and step.get("state") == "STATE_WAITING_FOR_USER":
                place = {"trajectoryId": step.get("trajectoryId", ""), "stepIndex": step.get("stepIndex", 0)}
                self.socket.send({"toolConfirmation": dict(place, accepted=True)})
            if "policyDecisionRequest" in event:
                answer = {"requestId": event["policyDecisionRequest"]["requestId"], "outcome": "POLICY_EVALUATION_OUTCOME_ALLOW"}
                self.socket.send({"policyDecisionResponse": answer})
            state = event.get("trajectoryStateUpdate") or {}
            begun = begun or bool(step) or state.get("state") == "STATE_RUNNING"
            if begun and not state.get("parentTrajectoryId") and state.get("state") in ("STATE_IDLE", "STATE_FULLY_IDLE", "STATE_CANCELLED"):
                return True
        return False

    def close(self, kill=False):
        if kill:
            self.process.kill()
        else:
            if self.minor <= 4:
                time.sleep(3)
            self.socket.send(struct.pack(">H", 1000), 8)
            self.process.stdin.close()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.terminate()
        self.process.wait(10)


def read(home, *more):
    """The sessions below a home as documents."""
    base = [PROGRAM, "--home", str(home / ".gemini")]
    environment = {"HOME": str(home.parent / "user"), "PATH": os.environ["PATH"]}
    listed = subprocess.run([*base, "list", "--json", *more], env=environment, capture_output=True, text=True)
    rows = [json.loads(line) for line in listed.stdout.splitlines() if '"ref"' in line]
    show = lambda row: subprocess.run([*base, "show", row["ref"], "--json", *more], env=environment, capture_output=True, text=True).stdout
    return [json.loads(show(row)) for row in rows]


def fingerprint(home):
    entries = []
    for path in sorted(home.rglob("*")):
        state = path.lstat()
        entries.append((str(path), state.st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""))
    return entries


def script(demo):
    """Turns with the answers of the model to each."""
    act = {"toolAction": "Doing a step", "toolSummary": "A step"}
    call = lambda name, id, **arguments: {"name": name, "id": id, "args": {**arguments, **act}}
    command = lambda id, line: call("run_command", id, CommandLine=line, Cwd=str(demo), WaitMsBeforeAsync=5000)
    replace = call("replace_file_content", "c3", TargetFile=f"{demo}/main.py", Instruction="Rename", Description="Rename", AllowMultiple=False,
                   TargetContent="def add(a, b):", ReplacementContent="def plus(a, b):", StartLine=1, EndLine=1)
    return [("What is here? 🙂 <b>tags</b>", [{"thinking": "I look first.", "calls": [call("list_dir", "c1", DirectoryPath=str(demo))], "usage": (100, 0, 20, 5)},
                                             {"text": "One file.", "usage": (200, 150, 9, 0)}]),
            ("Rename add.", [{"text": "I rename it.", "calls": [replace], "usage": (300, 250, 30, 0)}, {"calls": [command("c4", "echo out; exit 3")], "usage": (310, 260, 8, 0)},
                             {"text": "日本語 done.", "usage": (400, 380, 7, 2)}])]


def judged(session, turns, minor, home):
    """What is not as it was typed, served and run."""
    wrong = []
    same = lambda what, found, wanted: found == wanted or wrong.append(f"{what}: {found!r}, not {wanted!r}")
    messages = session["messages"]
    served = [answer for _, answers in turns for answer in answers]
    answers = [it for it in messages if it["role"] == "assistant"]
    same("prompts", [it["text"] for it in messages if it["role"] == "human"], [typed for typed, _ in turns])
    same("answers", [it["text"] for it in answers], [it.get("text", "") for it in served])
    same("thoughts", [[thought["text"] for thought in it.get("thoughts", [])] for it in answers], [[it["thinking"]] if "thinking" in it else [] for it in served])
    calls = [call for it in answers for call in it.get("tool_calls", [])]
    same("calls", [(call["name"], call["args"]) for call in calls], [(call["name"], call["args"]) for it in served for call in it.get("calls", [])])
    same("statuses", [call["status"] for call in calls], ["success"] * len(calls))
    for call in calls:
        if call["name"] == "run_command":
            same("exit code", (call.get("exit_code"), (call.get("output") or "").strip()), (3, "out"))
        if call["name"] == "replace_file_content":
            shown = call.get("display") or {}
            same("edit", (shown.get("originalContent"), shown.get("newContent")), (BEFORE, AFTER))
    for message, answer in zip(answers, served):
        prompt, cached, output, thoughts = answer["usage"]
        tokens = message.get("tokens") or {}
        # The engine of 0.1.13 leaves the cache out of the prompt without saying so: the difference is what may be missing.
        input = tokens.get("input", 0) + (tokens.get("uncertain", 0) if tokens.get("input") != prompt else 0)
        same("tokens", (input, tokens.get("cached"), tokens.get("output"), tokens.get("thoughts")), (prompt, cached, output, thoughts))
    if minor >= 7:
        same("model", {it.get("model") for it in answers}, {MODEL})
    same("project", session["project"]["path"], str(home / "demo"))
    return wrong


def check(version, copies):
    problems = []
    with tempfile.TemporaryDirectory() as work:
        home = pathlib.Path(work) / "home"
        demo = home / "demo"
        demo.mkdir(parents=True)
        (demo / "main.py").write_text(BEFORE)
        model, turns = Model(), script(demo)
        turns += [(f"Count to {number}.", [{"text": str(number), "usage": (10, 0, 2, 0)}]) for number in range(copies // 3)]
        running = Engine(version, home, model)
        readings, over = [], threading.Event()

        def watch():
            while not over.is_set():
                readings.append(sum(len(it["messages"]) for it in read(home, "--no-archive")))

        watcher = threading.Thread(target=watch, daemon=True)
        if copies:
            model.delay = 1
            watcher.start()
        for typed, answers in turns:
            model.answers = list(answers)
            if not running.say(typed):
                problems.append(f"the engine did not end the turn {typed!r}")
        running.close()
        over.set()
        if copies:
            watcher.join()
            if readings != sorted(readings):
                problems.append(f"readings shrink: {readings}")
        before = fingerprint(home)
        found = read(home, "--no-archive")
        problems += judged(found[0], turns, running.minor, home) if len(found) == 1 else [f"{len(found)} conversations"]
        # Killed in the middle of a turn: everything committed is there.
        killed = Engine(version, home, model)
        model.answers, model.delay = [{"text": "Never heard."}], 30
        threading.Thread(target=killed.say, args=("Wait for me.",), daemon=True).start()
        time.sleep(3)
        killed.close(kill=True)
        model.delay = 0
        after = read(home, "--no-archive")
        prompts = [it["text"] for session in after for it in session["messages"] if it["role"] == "human"]
        if running.minor >= 4 and "Wait for me." not in prompts:
            problems.append(f"what was typed before the kill is missing: {prompts}")
        before = fingerprint(home)
        archive = ["--archive", str(pathlib.Path(work) / "archive.db")]
        environment = {"HOME": str(home.parent / "user"), "PATH": os.environ["PATH"]}
        subprocess.run([PROGRAM, "--home", str(home / ".gemini"), *archive, "sync", "--quiet"], env=environment, check=True)
        if fingerprint(home) != before:
            problems.append("the home changed")
        shutil.rmtree(home / ".gemini/antigravity")
        plain = lambda sessions: sorted(json.dumps(it["messages"], sort_keys=True) for it in sessions)
        if plain(read(home, *archive)) != plain(after):
            problems.append("the archive has something else")
        model.server.shutdown()
    print(f"{version}: {len(problems)} problems" + (f", {len(readings)} readings while it wrote" if copies else ""), *problems, sep="\n    ", flush=True)
    return bool(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--versions", type=lambda text: text.split(","), default=CI, metavar="A,B,…")
    parser.add_argument("--copies", type=int, default=0, metavar="N")
    options = parser.parse_args()
    missing = [version for version in options.versions if engine(version) is None]
    if missing:
        print(f"PyPI does not give {', '.join(missing)}: nothing to check")
        sys.exit(0)
    # Loopback only, where that is allowed: the engine shall reach nobody.
    apart = ["unshare", "--net", "--map-root-user", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if "GEMTRAIL_APART" not in os.environ and not subprocess.run([*apart, "true"], capture_output=True).returncode:
        os.environ["GEMTRAIL_APART"] = "1"
        os.execvp(apart[0], [*apart, sys.executable, *sys.argv])
    sys.exit(any([check(version, options.copies) for version in options.versions]))


if __name__ == "__main__":
    main()

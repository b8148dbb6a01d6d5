"""The faces, as a person meets them: keys in a terminal, pages over HTTP, tools over MCP."""
import http.client
import json
import os
import pty
import resource
import select
import statistics
import subprocess
import termios
import threading
import time
import urllib.parse

FRAME_END = b"\x1b[?2026l"


class Browser:
    """The terminal browser on a terminal of its own. Every frame ends with a mark that terminals know."""

    def __init__(self, command, size=(40, 120)):
        self.main, side = pty.openpty()
        termios.tcsetwinsize(side, size)
        self.start = time.perf_counter()
        env = dict(os.environ, TERM="xterm-256color")
        self.child = subprocess.Popen(command, stdin=side, stdout=side, stderr=subprocess.DEVNULL, env=env, start_new_session=True)
        os.close(side)

    def frames(self, quiet):
        """The frames until none comes for so many seconds: when each was complete, and its bytes."""
        found, pending = [], b""
        while select.select([self.main], [], [], quiet)[0]:
            try:
                data = os.read(self.main, 1 << 20)
            except OSError:  # It has ended.
                break
            now = time.perf_counter()
            pending += data
            *whole, pending = pending.split(FRAME_END)
            found += [(now, frame) for frame in whole]
        return found

    def press(self, keys, quiet=0.4):
        """Milliseconds until the first and the last frame that follow, and their bytes."""
        start = time.perf_counter()
        os.write(self.main, keys)
        frames = self.frames(quiet)
        times = [(at - start) * 1000 for at, _ in frames] or [float("nan")]
        return times[0], times[-1], b"".join(frame for _, frame in frames)

    def status(self, field):
        """A figure of the process, in kB or ticks."""
        if field == "cpu":
            fields = open(f"/proc/{self.child.pid}/stat").read().rsplit(")", 1)[1].split()
            return int(fields[11]) + int(fields[12])
        lines = open(f"/proc/{self.child.pid}/status").read().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(field))

    def close(self):
        try:
            os.write(self.main, b"\x1b\x1bq")
            self.child.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            self.child.kill()
            self.child.wait()
        os.close(self.main)


def preview_times(command, note, sessions=8):
    """Beside a wide list: the facts and last prompts of a session come in the frame of the key, the session after a rest."""
    browser = Browser(command, (50, 200))
    browser.frames(5.0)
    facts, whole = [], []
    for _ in range(sessions):
        start = time.perf_counter()
        os.write(browser.main, b"\x1b[B")
        # An answer that changes nothing on the screen is a frame of marks alone.
        times = [(at - start) * 1000 for at, frame in browser.frames(0.5) if len(frame) > 64]
        facts.append(times[0])
        whole.append(times[-1])
    note("preview, facts and last prompts", statistics.median(facts))
    note("preview, session after a rest", statistics.median(whole))
    _, last, _ = browser.press(b"\x1b[B" * 50)
    note("50 x down with preview, last frame", last)
    peak = browser.status("VmHWM") / 1024
    browser.close()
    return peak


def browser_rows(command, word, runs=3):
    """Prints what a person waits for in the terminal browser; the best of some runs."""
    best = {}

    def note(name, milliseconds):
        best[name] = min(best.get(name, float("inf")), milliseconds)

    peak = idle_frames = idle_ticks = 0
    for _ in range(runs):
        browser = Browser(command)
        first = browser.frames(5.0)
        note("first frame", (first[0][0] - browser.start) * 1000)
        rows = [at for at, frame in first if b"sessions" in frame]
        note("first frame with sessions", (rows[0] - browser.start) * 1000 if rows else float("nan"))
        down, last, _ = browser.press(b"\x1b[B" * 50)
        note("50 x down, last frame", last)
        browser.press(b"g")
        browser.press(b"/")
        # The slowest letter is what one notices.
        note("a letter in the filter", max(browser.press(letter.encode())[0] for letter in word[:3]))
        _, found, frames = browser.press(word[3:].encode(), 1.0)
        note("hits of a word in all text", found)
        browser.press(b"\x1b", 0.6)
        browser.press(b"s")
        browser.press(b"g")
        opened, complete, _ = browser.press(b"\r", 1.0)
        note("largest session, first frame", opened)
        note("largest session, complete", complete)
        before = browser.status("cpu")
        idle_frames = max(idle_frames, len(browser.frames(2.0)))
        idle_ticks = max(idle_ticks, browser.status("cpu") - before)
        peak = max(peak, browser.status("VmHWM") / 1024)
        browser.close()
        peak = max(peak, preview_times(command, note))
    for name, value in best.items():
        print(f"{'browser: ' + name:44} {'':7} {'':6} {value / 1000:7.3f}", flush=True)
    tick = 1000 / os.sysconf("SC_CLK_TCK")
    print(f"{'browser: peak memory':44} {'':7} {'':6} {'':7} {peak:6.0f}")
    print(f"{'browser: two idle seconds':44} {idle_frames} frames, {idle_ticks * tick:.0f} ms CPU")


class Viewer:
    """The web viewer, as a browser that was let in."""

    def __init__(self, command):
        self.child = subprocess.Popen(command + ["serve", "--no-open", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        url = urllib.parse.urlsplit(self.child.stdout.readline().decode().strip())
        self.host = url.netloc
        answer, _, _ = self.get(f"{url.path}?{url.query}", cookie="")
        self.cookie = answer.getheader("Set-Cookie").split(";", 1)[0]

    def get(self, path, cookie=None):
        """The answer, milliseconds until its first and its last byte."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        start = time.perf_counter()
        connection.request("GET", path, headers={"Cookie": self.cookie if cookie is None else cookie, "Sec-Fetch-Site": "none"})
        answer = connection.getresponse()
        answer.read(1)
        first = time.perf_counter()
        answer.length_read = 1 + len(answer.read())
        last = time.perf_counter()
        connection.close()
        return answer, (first - start) * 1000, (last - start) * 1000

    def memory(self, field="VmRSS"):
        lines = open(f"/proc/{self.child.pid}/status").read().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))

    def close(self):
        self.child.terminate()
        self.child.wait()


def viewer_rows(command, pages, runs=5):
    """Prints the time of each page: the first time, then the median."""
    viewer = Viewer(command)
    for name, path in pages:
        taken = []
        for _ in range(runs):
            answer, first, last = viewer.get(path)
            taken.append((first, last))
        cold, warm = taken[0], [statistics.median(times) for times in zip(*taken)]
        note = "" if answer.status == 200 else f"   status {answer.status}"
        print(f"{'page: ' + name:44} first {cold[0]:6.1f} / {cold[1]:6.1f} ms, then {warm[0]:6.1f} / {warm[1]:6.1f} ms, "
              f"{answer.length_read / 1000:.0f} kB{note}", flush=True)
    print(f"{'page: memory of the server':44} {'':7} {'':6} {'':7} {viewer.memory():6.0f}")
    crowd(viewer, [path for _, path in pages])
    viewer.close()


def crowd(viewer, paths, connections=50, seconds=30):
    """Prints how the viewer bears many connections at once, and whether its memory stays flat."""
    end, served, failed = time.monotonic() + seconds, [0] * connections, [0] * connections

    def visit(number):
        while time.monotonic() < end:
            try:
                answer, _, _ = viewer.get(paths[(number + served[number]) % len(paths)])
                failed[number] += answer.status != 200
            except OSError:
                failed[number] += 1
            served[number] += 1

    visitors = [threading.Thread(target=visit, args=(number,)) for number in range(connections)]
    for visitor in visitors:
        visitor.start()
    memory = []
    while any(visitor.is_alive() for visitor in visitors):
        memory.append(viewer.memory())
        time.sleep(1)
    third = len(memory) // 3
    print(f"{f'page: {connections} connections, {seconds} s':44} {sum(served)} answers, {sum(failed)} errors, "
          f"memory {max(memory[:third]):.0f} / {max(memory[third:-third]):.0f} / {max(memory[-third:]):.0f} MB")


class Tools:
    """The MCP server, as a client that asks one thing at a time."""

    def __init__(self, command):
        self.child = subprocess.Popen(command + ["mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def tell(self, message):
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        start = time.perf_counter()
        self.tell({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            answer = json.loads(self.child.stdout.readline())
            if answer.get("id") == self.number:
                return answer, (time.perf_counter() - start) * 1000

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def tool_rows(command, session, word, runs=5):
    """Prints the time of each tool: the first time, then the median."""
    tools = Tools(command)
    calls = [("list_sessions", {}), ("search", {"query": word}), ("search", {"query": "test function"}),
             ("read_session", {"session": session}), ("get_item", {"id": f"{session}:1"}), ("stats", {})]
    for name, arguments in calls:
        taken = []
        for _ in range(runs):
            answer, milliseconds = tools.ask("tools/call", {"name": name, "arguments": arguments})
            taken.append(milliseconds)
        note = "   refused" if answer.get("result", {}).get("isError") or "error" in answer else ""
        what = " ".join([name, *arguments.values()])[:34]
        print(f"{'tool: ' + what:44} first {taken[0]:6.1f} ms, then {statistics.median(taken):6.1f} ms{note}", flush=True)
    tools.close()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return peak

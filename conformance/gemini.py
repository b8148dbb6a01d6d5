"""The real Gemini CLI, from npm, run without account, network or terminal.

    with StandIn(script) as api, Gemini("0.61.0", api) as gemini:
        result = gemini.run("-p", "Remember the word albatross.")
        result.code, result.out, result.err, result.requests

Home and project are fresh directories that are removed at the end, unless others are given.
"""
import contextlib
import json
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = "@google/gemini-cli"


class Unreachable(Exception):
    """The package registry does not answer, so nothing can be said about the client."""


def cache():
    """Where versions are installed."""
    return pathlib.Path(os.environ.get("GEMTRAIL_LIVE_CACHE") or ROOT / "target" / "gemini-cli")


def install(version):
    """Installs a version if that has not been done yet; the command that starts it."""
    package = npm_package(PACKAGE, version)
    start = json.loads((package / "package.json").read_text())["bin"]
    return [node(), str(package / (start if isinstance(start, str) else start["gemini"]))]


def node():
    """A Node.js that is new enough for the client: the system's, or else one from npm."""
    found = subprocess.run(["node", "--version"], capture_output=True, text=True)
    if int(found.stdout.strip().removeprefix("v").split(".")[0]) >= 20:
        return "node"
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return str(npm_package(f"node-{platform.system().lower()}-{machine}", "20") / "bin" / "node")


def npm_package(name, version):
    """Installs a package into the cache if that has not been done yet; its directory."""
    place = cache() / f"{name.rsplit('/', 1)[-1]}-{version}"
    # Written last: an installation that was cut short is done again.
    done = place / "installed"
    if not done.exists():
        place.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", "--ignore-scripts",
                   "--omit=optional", f"{name}@{version}"]
        try:
            installed = subprocess.run(command, capture_output=True, text=True, timeout=600)
        except (FileNotFoundError, subprocess.TimeoutExpired) as error:
            raise Unreachable(f"npm install did not run: {error}") from error
        if installed.returncode != 0:
            if registry_answers(name):
                raise RuntimeError(f"npm install {name}@{version} failed:\n{installed.stderr}")
            raise Unreachable(f"the npm registry does not answer:\n{installed.stderr.strip()}")
        done.touch()
    return place / "node_modules" / name


def registry_answers(name):
    command = ["npm", "view", name, "version", "--fetch-retries=1"]
    return subprocess.run(command, capture_output=True, timeout=120).returncode == 0


class Result:
    """How one run ended, and what the client asked of the stand-in meanwhile."""

    def __init__(self, code, out, err, requests, timed_out):
        self.code, self.out, self.err, self.requests, self.timed_out = code, out, err, requests, timed_out

    @property
    def turns(self):
        """The requests that ask for a turn of the conversation."""
        return [request for request in self.requests if request.is_turn]

    def __str__(self):
        return f"exit code {self.code}{' (timed out)' if self.timed_out else ''}\n--- standard output\n{self.out}\n--- standard error\n{self.err}"


class Gemini:
    """A version of the client with a home directory (that of `.gemini`) and a project."""

    def __init__(self, version, api, home=None, project=None):
        self.start, self.api = install(version), api
        self._own = tempfile.TemporaryDirectory(prefix="gemtrail-live-")
        own = pathlib.Path(self._own.name).resolve()
        self.home = pathlib.Path(home or own / "home")
        self.project = pathlib.Path(project or own / "acme-shop")
        self.project.mkdir(parents=True, exist_ok=True)
        self.dot_gemini.mkdir(parents=True, exist_ok=True)
        if not (self.dot_gemini / "settings.json").exists():
            self.change_settings(SETTINGS)
            if int(version.split(".")[1]) < 27:
                self.change_settings(OLD_SETTINGS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._own.cleanup()

    @property
    def dot_gemini(self):
        return self.home / ".gemini"

    def change_settings(self, changes):
        """Sets these settings and leaves the others as they are."""
        file = self.dot_gemini / "settings.json"
        file.write_text(json.dumps(merged(json.loads(file.read_text()) if file.exists() else {}, changes), indent=1))

    def chats(self, slug=None):
        """The directory in which the client keeps the sessions of the project, made if need be."""
        chats = self.dot_gemini / "tmp" / (slug or self.project.name) / "chats"
        chats.mkdir(parents=True, exist_ok=True)
        return chats

    def run(self, *args, timeout=180, kill_at=None, ago=0):
        """Runs the client once, as if it were so many seconds ago; it is killed once it has asked the stand-in that often."""
        # Short commands can leave it behind, and the next start would wait for it.
        shutil.rmtree(self.dot_gemini / "projects.json.lock", ignore_errors=True)
        before = len(self.api.requests)
        client = subprocess.Popen([*self.start, *args], cwd=self.project, env={**self.environment(), **earlier(ago)},
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  errors="replace", process_group=0)
        if kill_at:
            threading.Thread(target=self._kill, args=(client, before + kill_at), daemon=True).start()
        timed_out = False
        try:
            out, err = client.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(client.pid, signal.SIGKILL)
            out, err = client.communicate()
            timed_out = True
        return Result(client.returncode, out, err, self.api.requests[before:], timed_out)

    def _kill(self, client, requests):
        while client.poll() is None:
            if sum(1 for request in self.api.requests if request.is_turn) >= requests:
                time.sleep(0.3)
                # It may have ended by itself meanwhile.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(client.pid, signal.SIGKILL)
                return
            time.sleep(0.05)

    def environment(self):
        temporary = self.home / ".tmp"
        temporary.mkdir(exist_ok=True)
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": str(temporary), "LANG": "C.UTF-8",
                "NO_COLOR": "1", "TERM": "xterm-256color", "COLORTERM": "truecolor", "GEMINI_API_KEY": "none",
                "GOOGLE_GEMINI_BASE_URL": self.api.url, "GEMINI_CLI_NO_RELAUNCH": "true",
                "GEMINI_CLI_TRUST_WORKSPACE": "true", "NODE_NO_WARNINGS": "1"}


def earlier(seconds):
    """The variables with which a client believes that it is so much earlier: it names files by the minute."""
    clock = pathlib.Path(__file__).with_name("clock.cjs")
    return {"NODE_OPTIONS": f"--require={clock}", "CLOCK_BEHIND_MS": str(1000 * seconds)} if seconds else {}


def merged(old, new):
    """Two objects as one; where both have a value that is no object, the new one counts."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return {**old, **{name: merged(old[name], value) if name in old else value for name, value in new.items()}}


# Before 0.27 updates were turned off like this; later versions rewrite the file when they find it.
OLD_SETTINGS = {"general": {"disableAutoUpdate": True, "disableUpdateNag": True}}
# Everything that would ask, call home or update itself is off. Retention is left as it is by default.
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "ui": {"theme": "Default", "hideTips": True, "hideBanner": True},
    "ide": {"hasSeenNudge": True},
    # For every version at once: a client ignores what it does not know.
    "agents": {"overrides": {"codebase_investigator": {"enabled": True}}},
    "experimental": {"codebaseInvestigatorSettings": {"enabled": True}, "enableAgents": True},
    "tools": {"shell": {"enableInteractiveShell": False}},
}

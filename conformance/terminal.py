"""The client in a terminal (tmux), typed at as a person does.

    with Terminal(gemini, script, "--yolo") as terminal:
        terminal.say("What is in the cart?")        # waits for the scripted answer
        terminal.command("/chat save demo", "saved")
"""
import shutil
import subprocess
import time

# How long a busy machine may take to start the client, and to show anything else, in seconds.
START, PATIENCE = 180, 60
EMPTY = "Type your message"


class Stuck(Exception):
    """What should be on the screen does not come."""


def is_here():
    return shutil.which("tmux") is not None


class Terminal:
    """A running client; `typed` are the prompts that were typed."""

    def __init__(self, gemini, script, *args):
        self.script, self.typed = script, []
        self._socket = gemini.home / "tmux.socket"
        environment = [f"{name}={value}" for name, value in gemini.environment().items()]
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "50", "-c", str(gemini.project), "env", "-i",
                   *environment, *gemini.start, *args)

    def __enter__(self):
        try:
            self.see(EMPTY, START)
        except Stuck:
            self._end()
            raise
        # The prompt is drawn before keys are taken.
        time.sleep(1.5)
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self._quit()
        self._end()

    def say(self, prompt, *, see=None):
        """Types a prompt and waits for the end of its scripted answer, or for something else on the screen."""
        self.typed.append(prompt)
        self._send(prompt, see or self.script[prompt][-1]["text"])
        # The client writes the answer down after it has shown it.
        if not see:
            self.rest()

    def command(self, words, see=""):
        """Types a slash command."""
        self._send(words, see)
        time.sleep(1.0)

    def shell(self, command, see):
        """Runs a command of the person, in shell mode."""
        self.press("!")
        self._send(command, see)
        time.sleep(1.0)
        self.press("Escape")

    def press(self, *keys):
        for key in keys:
            self._tmux("send-keys", key)
            time.sleep(0.4)

    def press_until(self, key, see):
        for _ in range(20):
            if see in self.screen():
                return
            self.press(key)
        self.see(see, 1)

    def see(self, text, patience=PATIENCE):
        """Waits until the text is on the screen, or was."""
        end = time.monotonic() + patience
        while text not in self.screen(whole=True):
            if time.monotonic() > end or not self._is_alive():
                lines = [line.rstrip() for line in self.screen().splitlines() if line.strip()]
                raise Stuck(f"no {text!r} on the screen:\n" + "\n".join(lines[-25:]))
            time.sleep(0.3)

    def rest(self):
        """Waits until the client waits for the person."""
        end = time.monotonic() + PATIENCE
        while "esc to cancel" in self.screen() and time.monotonic() < end:
            time.sleep(0.3)
        time.sleep(1.0)

    def screen(self, whole=False):
        return self._tmux("capture-pane", "-p", *(["-S", "-2000"] if whole else []))

    def _send(self, text, see):
        """Types a line and presses Enter, and again if that only completed it or came too soon."""
        self._type(text)
        # A key that follows at once would be taken as part of something pasted.
        time.sleep(0.8)
        self.press("Enter")
        for _ in range(3):
            time.sleep(1.0)
            if see and see in self.screen(whole=True) or text not in self._input():
                break
            self.press("Enter")
        self.see(see)

    def _type(self, text):
        """Types a text until it is there: keys that come while the client is busy starting are lost."""
        for _ in range(5):
            self._tmux("send-keys", "-l", text)
            end = time.monotonic() + 4
            while time.monotonic() < end:
                if text in self._input():
                    return
                time.sleep(0.3)
            self.press("C-u")
        raise Stuck(f"{text!r} cannot be typed:\n{self.screen()}")

    def _input(self):
        """The line in which the person types: the last one that begins like a prompt."""
        lines = [line.strip(" │") for line in self.screen().splitlines()]
        typed = [line for line in lines if line.startswith((">", "*", "!"))]
        return typed[-1] if typed else ""

    def _quit(self):
        self._send("/quit", "")
        end = time.monotonic() + 15
        while self._is_alive() and time.monotonic() < end:
            time.sleep(0.5)
            if "/quit" in self._input():
                self.press("Enter")

    def _end(self):
        # A server of its own, so nothing else is ended.
        self._tmux("kill-server")
        self._socket.unlink(missing_ok=True)

    def _is_alive(self):
        return bool(self._tmux("list-sessions").strip())

    def _tmux(self, *words):
        return subprocess.run(["tmux", "-S", str(self._socket), *words], capture_output=True, text=True, errors="replace").stdout

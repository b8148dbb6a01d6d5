"""Time and memory of whole processes."""
import os
import pty
import subprocess
import termios
import time


def measure(command, runs, env=None, limit=None):
    """Best CPU seconds, best wall seconds, peak memory in MB, exit code."""
    cpu = wall = float("inf")
    peak = code = 0
    for _ in range(runs):
        start = time.perf_counter()
        with open(os.devnull, "wb") as null:
            child = subprocess.Popen(command, stdout=null, stderr=null, stdin=subprocess.DEVNULL, env=env)
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = min(wall, time.perf_counter() - start)
        cpu = min(cpu, usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss / 1024)
        code = child.returncode
    return cpu, wall, peak, code


def first_screen(command, runs, lines=24):
    """Best wall seconds until a terminal of 24 lines shows so many, and until the program ends."""
    first = whole = float("inf")
    for _ in range(runs):
        main, side = pty.openpty()
        termios.tcsetwinsize(side, (lines, 100))
        start = time.perf_counter()
        env = dict(os.environ, TERM="xterm")
        child = subprocess.Popen(command, stdout=side, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=env)
        os.close(side)
        seen, shown = 0, None
        while True:
            try:
                data = os.read(main, 1 << 16)
            except OSError:  # The other side is closed.
                break
            if not data:
                break
            seen += data.count(b"\n")
            if shown is None and seen >= lines - 4:
                shown = time.perf_counter() - start
        child.wait()
        os.close(main)
        whole = min(whole, time.perf_counter() - start)
        first = min(first, shown or float("inf"))
    return first, whole

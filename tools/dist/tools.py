"""The tools that come from PyPI and npm, in an environment of their own: uv, auditwheel and type checkers to try
packages, zig to build them."""
import os
import pathlib
import shutil
import subprocess
import sys
from dataclasses import dataclass

TRYING = ("auditwheel==6.8.2", "uv==0.13.7")
TYPES = ("mypy==2.4.1",)
TYPESCRIPT = "typescript@5.9.3"
BUILDING = ("cargo-zigbuild==0.24.0", "ziglang==0.17.0")


@dataclass(frozen=True)
class Tools:
    programs: pathlib.Path

    def _find(self, name):
        path = self.programs / (f"{name}.exe" if os.name == "nt" else name)
        return path if path.exists() else None

    @property
    def uv(self):
        return self._find("uv")

    @property
    def auditwheel(self):
        return self._find("auditwheel")

    @property
    def mypy(self):
        return self._find("mypy")

    @property
    def zigbuild(self):
        return self._find("cargo-zigbuild")


def install(directory, *groups):
    """Installs what can be installed; callers find out what is missing and report it."""
    programs = pathlib.Path(directory) / ("Scripts" if os.name == "nt" else "bin")
    if not programs.exists():
        subprocess.run([sys.executable, "-m", "venv", str(directory)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for group in groups:
        command = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *group]
        try:
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        except (OSError, subprocess.TimeoutExpired):
            pass
    return Tools(programs)


def typescript(directory):
    """The compiler from npm, or None."""
    compiler = pathlib.Path(directory) / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.exists() and shutil.which("npm"):
        command = [shutil.which("npm"), "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(directory), TYPESCRIPT]
        try:
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        except (OSError, subprocess.TimeoutExpired):
            pass
    return compiler if compiler.exists() else None

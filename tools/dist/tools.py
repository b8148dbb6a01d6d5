"""The tools that come from PyPI, in an environment of their own: uv and auditwheel to try packages, zig to build them."""
import os
import pathlib
import subprocess
import sys
from dataclasses import dataclass

TRYING = ("auditwheel==6.8.2", "uv==0.13.7")
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

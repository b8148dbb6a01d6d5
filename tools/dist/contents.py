"""What packages contain besides the program: man pages, completions, licences."""
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass

import notices
from archives import Entry

# How each shell wants the file to be called.
COMPLETIONS = {
    "bash": "gemtrail.bash",
    "elvish": "gemtrail.elv",
    "fish": "gemtrail.fish",
    "powershell": "_gemtrail.ps1",
    "zsh": "_gemtrail",
}


@dataclass(frozen=True)
class Contents:
    licences: dict
    completions: dict
    man: dict

    def licence_entries(self, prefix=""):
        return [Entry(f"{prefix}{name}", data) for name, data in self.licences.items()]

    def man_entries(self, prefix):
        return [Entry(f"{prefix}{name}", data) for name, data in self.man.items()]

    def completion_entries(self, prefix):
        return [Entry(f"{prefix}{COMPLETIONS[shell]}", data) for shell, data in self.completions.items()]


def collect(root, program):
    """Asks a program that runs on this machine; its answers hold for all platforms."""
    licences = {name: (root / name).read_bytes() for name in ("LICENSE-APACHE", "LICENSE-MIT")}
    licences["THIRD-PARTY.txt"] = notices.collect(root).encode()
    return Contents(licences, {shell: _answer(program, "completions", shell) for shell in COMPLETIONS}, _man(program))


def _answer(program, *arguments):
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE).stdout


def _man(program):
    with tempfile.TemporaryDirectory() as directory:
        _answer(program, "man", directory)
        return {path.name: path.read_bytes() for path in sorted(pathlib.Path(directory).iterdir())}

"""The program that the wheel brought along."""
from __future__ import annotations

import functools
import importlib.metadata
import os
import pathlib
import sys
import sysconfig
from typing import Iterator

_NAME = "gemtrail.exe" if sys.platform == "win32" else "gemtrail"


@functools.lru_cache(maxsize=None)
def program() -> str:
    """The path of the program. `GEMTRAIL_PROGRAM` names another one."""
    named = os.environ.get("GEMTRAIL_PROGRAM")
    if named:
        return named
    for path in _candidates():
        if path.is_file():
            return str(path)
    raise FileNotFoundError(f"{_NAME} is not where the package was installed; install gemtrail again")


def _candidates() -> Iterator[pathlib.Path]:
    try:
        files = importlib.metadata.files("gemtrail") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    # What the installer wrote down, wherever that is.
    yield from (pathlib.Path(str(file.locate())) for file in files if file.name == _NAME)
    yield pathlib.Path(sysconfig.get_path("scripts")) / _NAME
    # `pip install --target`.
    yield pathlib.Path(__file__).resolve().parent.parent / "bin" / _NAME

"""What was found so far, in a file: a run of hours can be stopped and continued."""
import json
import pathlib

from compare import WRONG


class Results:
    """Cells by version and scenario, and random conversations by seed; kept in a file if there is one."""

    def __init__(self, path=None):
        self.path = pathlib.Path(path) if path else None
        self.cells, self.talks = {}, {}
        if self.path and self.path.exists():
            stored = json.loads(self.path.read_text())
            self.cells, self.talks = stored["cells"], stored["talks"]

    def cell(self, version, name, make):
        """The cells of a scenario: the stored ones, unless there are none or something is wrong."""
        row = self.cells.setdefault(version, {})
        if name not in row or any(mark == WRONG for mark, _ in row[name].values()):
            row[name] = make()
            self._store()
        return row[name]

    def talk(self, seed, make):
        known = self.talks.get(str(seed))
        if known is None or known["problems"]:
            self.talks[str(seed)] = make()
            self._store()
        return self.talks[str(seed)]

    def _store(self):
        if self.path:
            half = self.path.with_name(self.path.name + ".half")
            half.write_text(json.dumps({"cells": self.cells, "talks": self.talks}, ensure_ascii=False, indent=1))
            half.replace(self.path)

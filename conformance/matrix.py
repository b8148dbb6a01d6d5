"""The matrix, and the document that is made from it."""
from compare import ASPECTS, LESS, OPEN, WRONG

INTRO = """# Compatibility

Made by `conformance/run --write`; do not edit. Each of these released versions of Gemini CLI was run against a scripted stand-in for the model,
and what gemtrail reads was compared with what was typed and served.

One mark each for {aspects}: ✓ as typed and served, – less, because the client never wrote it (the files
were searched), ✗ wrong, · not compared. An empty cell: the version has no such command or option; “not run”: nobody has looked. The scenarios
are in [`scenarios.py`](../conformance/scenarios.py) and, at the terminal, in [`typed.py`](../conformance/typed.py).

"""
# A page is read at this width; a matrix of all scenarios is wider.
COLUMNS = 8


class Matrix:
    """Cells by version and scenario; None where the version cannot do it."""

    def __init__(self):
        self.rows, self.names = {}, []

    def add(self, version, name, cells):
        self.rows.setdefault(version, {})[name] = cells
        if name not in self.names:
            self.names.append(name)

    def line(self, version, name):
        cells = self.rows[version][name]
        return f"{version:8} {name:9} {marks(cells)} {'; '.join(reasons(cells, (WRONG,)))}".rstrip()

    def wrong(self):
        cells = [cell for row in self.rows.values() for cells in row.values() if cells for cell in cells.values()]
        return sum(1 for mark, _ in cells if mark == WRONG)

    def text(self, columns=None):
        names = self.names
        parts = [names[at:at + columns] for at in range(0, len(names), columns)] if columns else [names]
        return "\n\n".join(self._table(part) for part in parts if part)

    def _table(self, names):
        head = "| Version | " + " | ".join(names) + " |\n|---|" + "---|" * len(names)
        lines = [f"| {version} | " + " | ".join(marks(row[name]) if name in row else "not run" for name in names) + " |"
                 for version, row in self.rows.items()]
        return "\n".join([head, *lines])

    def less(self):
        """What is less or wrong, and in which versions, one line each."""
        found = {}
        for version, row in self.rows.items():
            for name, cells in row.items():
                for reason in reasons(cells, (LESS, WRONG)):
                    found.setdefault((name, reason), []).append(version)
        for name in self.names:
            for (of, reason), versions in found.items():
                if of == name:
                    yield f"* {name}, {reason} ({', '.join(versions)})"


def marks(cells):
    return "".join(cells.get(aspect, (OPEN, ""))[0] for aspect in ASPECTS) if cells else ""


def reasons(cells, wanted):
    return [f"{aspect}: {why[:200]}" for aspect, (mark, why) in (cells or {}).items() if mark in wanted]


def write(table, talks, path):
    text = INTRO.format(aspects=", ".join(ASPECTS)) + table.text(COLUMNS) + "\n"
    less = list(table.less())
    if less:
        text += "\n## What is less, and why\n\n" + "\n".join(less) + "\n"
    if talks:
        text += random_part(talks)
    path.write_text(text)


def random_part(talks):
    bad = [talk for talk in talks if talk.problems]
    versions = {version for talk in talks for version in talk.versions}
    text = (f"\n## Random conversations\n\n{len(talks) - len(bad)} of {len(talks)} hold (seeds {ranges(talk.seed for talk in talks)}; "
            f"{sum(len(talk.steps) for talk in talks)} starts of {len(versions)} versions): everything that was ever on disk is in the archive, "
            "and everything in the archive was typed or served.\n")
    return text + "".join(f"\n* {talk}" for talk in bad)


def ranges(numbers):
    """1, 2, 3, 7 as “1–3, 7”."""
    runs = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs)

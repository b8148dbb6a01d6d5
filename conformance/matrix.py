"""The matrix, and the document that is made from it."""
from compare import ASPECTS, LESS, WRONG

INTRO = """# Compatibility

Made by `conformance/run --write`; do not edit. Each released version of Gemini CLI was run against a scripted stand-in for the model, and what
gemtrail reads was compared with what was typed and served.

One mark each for {aspects}: ✓ as typed and served, – less, because the client never wrote it (the files were searched), ✗ wrong, · not
compared. An empty cell: the version has no such feature.

"""


class Matrix:
    """Cells by version and scenario."""

    def __init__(self):
        self.rows, self.names = {}, []

    def add(self, version, name, cells):
        self.rows.setdefault(version, {})[name] = cells
        if name not in self.names:
            self.names.append(name)
        print(f"{version:8} {name:9} {marks(cells)} {'; '.join(reasons(cells, (WRONG,)))}", flush=True)

    def wrong(self):
        cells = [cell for row in self.rows.values() for cells in row.values() if cells for cell in cells.values()]
        return sum(1 for mark, _ in cells if mark == WRONG)

    def text(self):
        if not self.rows:
            return ""
        head = "| Version | " + " | ".join(self.names) + " |\n|---|" + "---|" * len(self.names)
        lines = [f"| {version} | " + " | ".join(marks(row.get(name)) for name in self.names) + " |"
                 for version, row in self.rows.items()]
        return "\n".join([head, *lines])

    def less(self):
        """What clients never wrote, one line each."""
        for version, row in self.rows.items():
            for name, cells in row.items():
                for reason in reasons(cells, (LESS, WRONG)):
                    yield f"* {version}, {name}: {reason}"


def marks(cells):
    return "".join(cells[aspect][0] for aspect in ASPECTS) if cells else ""


def reasons(cells, wanted):
    return [f"{aspect}: {why[:200]}" for aspect, (mark, why) in (cells or {}).items() if mark in wanted]


def write(table, talks, path):
    text = INTRO.format(aspects=", ".join(ASPECTS)) + table.text() + "\n"
    less = list(table.less())
    if less:
        text += "\n## What is less, and why\n\n" + "\n".join(less) + "\n"
    if talks:
        good = sum(1 for talk in talks if not talk.problems)
        text += (f"\n## Random conversations\n\n{good} of {len(talks)} hold (seeds {talks[0].seed} to {talks[-1].seed}): everything that was "
                 "ever on disk is in the archive, and nothing in it was neither typed nor served.\n")
        text += "".join(f"\n* {talk}" for talk in talks if talk.problems)
    path.write_text(text)

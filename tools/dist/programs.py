"""The ten-line programs of the README, which CI runs from the packages."""
import re

from person import EXAMPLE, told
from project import ROOT

# Where the programs look for sessions.
PLACE = {"GEMINI_CLI_HOME": str(EXAMPLE)}
# What type checkers have to find.
MISTAKE = {"python": ('row["ref"]', 'row["reference"]'), "js": ("row.ref,", "row.reference,")}


def program(language):
    """The program in this language."""
    section = (ROOT / "README.md").read_text().split("\n## For other tools\n")[1].split("\n## ")[0]
    return re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)[1]


def check_output(ran, report, how):
    """Every session has a line, and what the person typed another."""
    lines = ran.stdout.splitlines()
    prompts = [line for line in lines if line.startswith("    ")]
    good = ran.returncode == 0 and len(lines) - len(prompts) > 5 and len(prompts) > 5
    report.check(good, f"{how}: the program of the README, {len(lines)} lines", told(ran))


def check_types(check, report, how, language):
    """The program passes the type checker, and a mistake does not. `check` is given the text."""
    good, text = program(language), program(language).replace(*MISTAKE[language])
    ran = check(good)
    report.check(ran.returncode == 0, f"{how}: the program of the README", told(ran))
    wrong = check(text)
    report.check(wrong.returncode != 0 and "reference" in wrong.stdout, f"{how}: finds a wrong member", told(wrong))

"""`uvx gemtrail`, `pip install gemtrail` and `import gemtrail`, from a directory of wheels."""
import re
import sys

import programs
from person import fresh, told, try_out
from targets import TARGETS


def scenario(artefacts, report, tools):
    wheels = artefacts / "wheels"
    offline = ["--no-index", "--find-links", wheels]
    if tools.uv:
        with fresh() as person:
            uvx = [tools.uv, "tool", "run", "--offline", "--python", sys.executable, *offline, "gemtrail"]
            try_out(person, uvx, report, "uvx gemtrail")
    else:
        report.skip("uvx", "uv cannot be installed")
    with fresh() as person:
        installed = _environment(person, artefacts, report)
        if installed:
            try_out(person, [installed / "gemtrail"], report, "pip install")


def module(artefacts, report, tools):
    """`import gemtrail`, where nothing else is installed."""
    with fresh() as person:
        installed = _environment(person, artefacts, report)
        if not installed:
            return
        python = installed / "python"

        def written(text):
            (person.home / "program.py").write_text(text)
            return person.home / "program.py"

        ran = person.run(python, written(programs.program("python")), **programs.PLACE)
        programs.check_output(ran, report, "import gemtrail")
        ran = person.run(python, written(UNKNOWN_SESSION), **programs.PLACE)
        report.check(ran.stdout.startswith("not-found gemtrail list"), "import gemtrail: errors have a code and a hint", told(ran))
        if tools.mypy:
            strictly = [tools.mypy, "--strict", "--python-executable", python]
            programs.check_types(lambda text: person.run(*strictly, written(text)), report, "mypy --strict", "python")
        else:
            report.skip("mypy --strict", "mypy cannot be installed")


UNKNOWN_SESSION = """
import gemtrail
assert list(gemtrail.sessions(project="no such project")) == []
assert next(gemtrail.search("the"))["schema"] == "gemtrail.search/1"
assert gemtrail.session("latest")["messages"] and gemtrail.stats()["sessions"] > 5
try:
    list(gemtrail.read("no-such-session"))
except gemtrail.GemtrailError as error:
    print(error.code, error.hint)
"""


def _environment(person, artefacts, report):
    """Where the programs of an environment are in which only the wheel is installed."""
    ran = person.run(sys.executable, "-m", "venv", person.home / "venv")
    if ran.returncode != 0:
        report.skip("pip install", f"python has no venv: {ran.stderr.strip()}")
        return None
    programs = person.home / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    offline = ["--no-index", "--find-links", artefacts / "wheels"]
    ran = person.run(programs / "python", "-m", "pip", "install", *offline, "gemtrail")
    report.check(ran.returncode == 0, "pip install", told(ran))
    return programs


def tags(artefacts, report, tools):
    """Whether the programs keep what the names of their wheels promise."""
    if not tools.auditwheel:
        report.skip("tags of wheels", "auditwheel cannot be installed")
        return
    for target in TARGETS:
        found = list((artefacts / "wheels").glob(f"*-{target.wheel}.whl"))
        if target.os != "linux" or not found:
            continue
        with fresh() as person:
            ran = person.run(tools.auditwheel, "show", found[0])
        words = " ".join(ran.stdout.split())
        tag = re.search(r'consistent with the following platform tag: "([^"]+)"', words)
        promised = target.wheel.split(".")[0]
        report.check(tag and _keeps(tag[1], promised), f"auditwheel: {found[0].name}", told(ran))


def _keeps(found, promised):
    """Whether a program that needs `found` runs wherever `promised` does."""
    kind, major, minor, *_ = promised.split("_")
    other, *numbers = found.split("_")[:3]
    return kind == other and tuple(map(int, numbers)) <= (int(major), int(minor))

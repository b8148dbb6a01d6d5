"""`uvx gemtrail` and `pip install gemtrail`, from a directory of wheels."""
import re
import sys

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
        ran = person.run(sys.executable, "-m", "venv", person.home / "venv")
        if ran.returncode != 0:
            report.skip("pip install", f"python has no venv: {ran.stderr.strip()}")
            return
        programs = person.home / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        ran = person.run(programs / "python", "-m", "pip", "install", *offline, "gemtrail")
        report.check(ran.returncode == 0, "pip install", told(ran))
        try_out(person, [programs / "gemtrail"], report, "pip install")


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

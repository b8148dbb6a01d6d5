"""What a version writes that gemtrail does not know: record kinds, fields, statuses, tools, kinds of parts.

The reader keeps what it does not know, and `doctor` names it.
"""
import json
import pathlib
import subprocess
import tempfile

from fixed import lay, type_all
from gemini import PACKAGE, Gemini, Unreachable
from scenarios import SCENARIOS
from stand_in import StandIn


def latest(program):
    """Runs every scenario with the newest version on npm and tells what is new; 1 if anything is."""
    version = newest()
    print(f"the newest version is {version}")
    news = set()
    for name, scenario in SCENARIOS.items():
        if scenario.get("later"):
            continue
        with tempfile.TemporaryDirectory() as own:
            project = pathlib.Path(own).resolve() / "acme-shop"
            with StandIn(scenario["script"], project) as api, Gemini(version, api, project=project) as gemini:
                lay(project, scenario["files"])
                type_all(gemini, scenario)
                news |= unknown(program, gemini.dot_gemini)
    for what in sorted(news):
        print(f"unknown {what}")
    print(f"{len(news)} things are new" if news else "nothing is new")
    return 1 if news else 0


def newest():
    viewed = subprocess.run(["npm", "view", PACKAGE, "dist-tags.latest", "--fetch-retries=1"], capture_output=True, text=True, timeout=120)
    if viewed.returncode:
        raise Unreachable(viewed.stderr.strip())
    return viewed.stdout.strip().splitlines()[-1]


def unknown(program, home):
    """Everything in the sessions of a home that gemtrail has no word for: `doctor` knows."""
    ran = subprocess.run([program, "--home", str(home), "doctor", "--json"], capture_output=True, text=True, timeout=120)
    return {f"{each['kind']} {each['name']}" for each in json.loads(ran.stdout)["unknown"]}

"""Runs a fixed scenario with one version."""
import pathlib
import tempfile
import time

from compare import Comparison, documents
from gemini import Gemini
from scenarios import SCENARIOS
from stand_in import StandIn

# The first version that can resume a session from the command line.
RESUMES = (0, 20)


def chosen(names):
    return list(SCENARIOS) if names is None else names


def number(version):
    return tuple(int(part) for part in version.split(".")[:2])


def run(version, name, program):
    """The cells of the scenario; None if the version cannot do it."""
    scenario = SCENARIOS[name]
    if len(scenario["runs"]) > 1 and number(version) < RESUMES:
        return None
    with tempfile.TemporaryDirectory(prefix="gemtrail-conformance-") as own:
        project = pathlib.Path(own).resolve() / "acme-shop"
        with StandIn(scenario["script"], project) as api, Gemini(version, api, project=project) as gemini:
            lay(project, scenario["files"])
            typed = type_all(gemini, scenario)
            found = documents(program, "--home", str(gemini.dot_gemini))
            return Comparison(found, typed, api.served, gemini.dot_gemini, scenario["states"]).cells


def lay(project, files):
    for path, content in files.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(content if isinstance(content, bytes) else content.encode())


def type_all(gemini, scenario):
    """Types every prompt; what was typed."""
    for at, prompt in enumerate(scenario["runs"]):
        if at and scenario.get("later"):
            minute = time.strftime("%H-%M", time.gmtime())
            while time.strftime("%H-%M", time.gmtime()) == minute:
                time.sleep(0.5)
        resume = ["--resume", "latest"] if at else []
        gemini.run(*resume, "--yolo", "-p", prompt, kill_at=scenario.get("kill"))
    return scenario["runs"]

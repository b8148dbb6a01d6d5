"""Runs a fixed scenario with one version."""
import pathlib
import shutil
import tempfile

import aftermath
from compare import WRONG, Comparison, documents
from gemini import Gemini
from scenarios import SCENARIOS
from stand_in import StandIn
from terminal import Stuck, Terminal
from typed import TYPED

# The first version that can resume a session from the command line.
RESUMES = (0, 20)
ALL = {**SCENARIOS, **TYPED}


def number(version):
    return tuple(int(part) for part in version.split(".")[:2])


def can(version, name):
    """Whether a version has what the scenario needs."""
    scenario = ALL[name]
    if "act" in scenario:
        return number(version) >= scenario["since"]
    if scenario.get("first"):
        return number(version) > number(scenario["first"])
    return len(scenario["runs"]) == 1 or number(version) >= RESUMES


def run(version, name, program, keep=None):
    """The cells of the scenario. A copy of the home goes to `keep` if anything is wrong."""
    with Played(version, name) as played:
        if played.stuck:
            cells = {"states": (WRONG, played.stuck)}
        else:
            found = documents(program, "--home", str(played.dot_gemini))
            scenario = ALL[name]
            comparison = Comparison(found, played.typed, played.served, played.dot_gemini, scenario.get("states"))
            if "act" in scenario:
                aftermath.judge(comparison, scenario, played.own, played.typed, program)
            cells = comparison.cells
        if keep and any(mark == WRONG for mark, _ in cells.values()):
            place = pathlib.Path(keep) / f"{version}-{name}"
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(played.own, place, symlinks=True)
        return cells


class Played:
    """A scenario that was played with a version; home and project are there for as long as a `with` block lasts."""

    def __init__(self, version, name):
        self._own = tempfile.TemporaryDirectory(prefix="gemtrail-conformance-", ignore_cleanup_errors=True)
        self.own = pathlib.Path(self._own.name).resolve()
        self.typed, self.stuck = [], None
        scenario, home, project = ALL[name], self.own / "home", self.own / "acme-shop"
        with StandIn(scenario["script"], project) as api:
            lay(project, scenario["files"])
            clients = [Gemini(each, api, home=home, project=project) for each in (scenario.get("first"), version) if each]
            self.dot_gemini, self.served = clients[0].dot_gemini, api.served
            try:
                self.typed = act(clients[0], scenario) if "act" in scenario else type_all(clients, scenario)
            except Stuck as reason:
                self.stuck = str(reason)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._own.cleanup()


def lay(project, files):
    for path, content in files.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(content if isinstance(content, bytes) else content.encode())


def act(gemini, scenario):
    """Plays a scenario at the terminal; what was typed."""
    with Terminal(gemini, scenario["script"], *scenario["args"]) as terminal:
        scenario["act"](terminal)
    told = "\n".join(text for _, text in [request for request in gemini.api.requests if request.is_turn][-1].words)
    if not scenario["has_worked"](told):
        raise Stuck("the command has not worked, by what the model is told afterwards")
    return terminal.typed


def type_all(clients, scenario):
    """Types every prompt, the first into the first client and the rest into the last; what was typed."""
    for at, prompt in enumerate(scenario["runs"]):
        resume = ["--resume", "latest"] if at else []
        ago = 90 if scenario.get("later") and not at else 0
        ran = clients[-1 if at else 0].run(*resume, "--yolo", "-p", prompt, kill_at=scenario.get("kill"), ago=ago)
        if ran.timed_out or not ran.turns:
            raise Stuck(f"the client does not get anywhere: {ran}")
    return scenario["runs"]

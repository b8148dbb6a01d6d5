#!/usr/bin/env python3
"""A lake of generated homes in the engines that teams use.

    tests/lake/accept.py [GEMTRAIL] [--homes N] [--kills N] [--spark]

Engines come from PyPI into a virtual environment beside the build; what cannot be had is named and
skipped. Homes are generated once and kept.
"""

import argparse
import hashlib
import json
import logging
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import venv
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = pathlib.Path(os.environ.get("GEMTRAIL_LAKE_VENV", ROOT / "target" / "lake-venv"))
PACKAGES = ["duckdb", "polars", "pyarrow", "chdb", "pyiceberg[sql-sqlite]", "deltalake", "moto[server]", "boto3",
            *(f"duckdb-extension-{it}" for it in ("httpfs", "avro", "iceberg", "delta"))]
ENGINES = ["duckdb", "clickhouse", "polars"]
KEY = "a key that the tests share"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gemtrail", nargs="?", default=ROOT / "target/debug/gemtrail", type=pathlib.Path)
    parser.add_argument("--homes", type=int, default=60)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--spark", action="store_true")
    options = parser.parse_args()
    options.gemtrail = options.gemtrail.resolve()
    if not os.environ.get("GEMTRAIL_IN_VENV"):
        provide(PACKAGES + ["pyspark"] * options.spark)
        environment = dict(os.environ, GEMTRAIL_IN_VENV="1")
        os.execve(VENV / "bin/python", [str(VENV / "bin/python"), *map(str, sys.argv)], environment)
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    logging.getLogger("pyiceberg").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as scratch:
        # ClickHouse reads tables below the current directory only.
        os.chdir(scratch)
        test = timed(lambda: Test(options, pathlib.Path(scratch)), "homes")
        only = os.environ.get("ONLY", "").split()
        for step in (test.write, test.totals, test.over_s3, test.folded, test.documented, test.second_run, test.from_disk, test.types,
                     test.iceberg, test.delta, test.one_message, test.planted, test.secrets, test.taken_back, test.kills):
            if not only or step.__name__ in only:
                timed(step, step.__name__)


def timed(step, name):
    start, worked = time.monotonic(), sum(os.times()[:4])
    result = step()
    print(f"ok: {name} ({time.monotonic() - start:.1f} s, CPU {sum(os.times()[:4]) - worked:.1f} s)", flush=True)
    return result


def provide(packages):
    """Installs what is missing: all at once or, if one cannot be had, one by one."""
    python = VENV / "bin" / "python"
    if not python.exists():
        venv.create(VENV, with_pip=True)
    known = subprocess.run([python, "-m", "pip", "list", "--format", "freeze"], capture_output=True, text=True).stdout.lower()
    missing = [it for it in packages if f"{it.split('[')[0].lower()}==" not in known]
    if missing and not install(python, missing):
        for package in missing:
            install(python, [package])


def install(python, packages):
    command = [python, "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check", *packages]
    try:
        return subprocess.run(command, stderr=subprocess.DEVNULL, timeout=900).returncode == 0
    except subprocess.TimeoutExpired:
        return False


class Machine:
    """One machine: a home, an archive, a data directory."""

    def __init__(self, gemtrail, home, data):
        self.gemtrail, self.home, self.data = gemtrail, home, data
        data.mkdir(parents=True, exist_ok=True)
        self.configure("")

    def configure(self, more):
        (self.data / "system.toml").write_text(f'[lake]\nkey = "{KEY}"\n{more}')

    def command(self, *arguments, archive=True):
        environment = {
            "HOME": str(self.data), "GEMTRAIL_DATA_DIR": str(self.data), "USER": "planted-user", "TZ": "UTC",
            "GEMTRAIL_SYSTEM_CONFIG": str(self.data / "system.toml"), "PATH": os.environ["PATH"],
        }
        where = ["--home", self.home, *(["--archive", self.data / "archive.db"] if archive else [])]
        return [str(it) for it in (self.gemtrail, *where, *arguments)], environment

    def run(self, *arguments, **more):
        command, environment = self.command(*arguments, **more)
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, (command, result.stderr)
        return result.stdout

    def sync(self):
        self.run("sync", "--quiet")

    def lake(self, lake, *more, archive=True):
        return json.loads(self.run("lake", lake, "--json", *more, archive=archive))


def snapshot(lake):
    """Digest and time of every file."""
    return {str(it.relative_to(lake)): (hashlib.sha256(it.read_bytes()).hexdigest(), it.stat().st_mtime_ns)
            for it in sorted(lake.rglob("*")) if it.is_file()}


def digests(lake):
    return {name: digest for name, (digest, _) in snapshot(lake).items()}


class Test:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.lake = scratch / "lake"
        self.truth = {}
        homes = self.homes()
        gemtrail = options.gemtrail
        self.machines = [Machine(gemtrail, place / "home/.gemini", scratch / f"data-{place.name}") for place in homes]
        for place in homes:
            truth = json.loads((place / "truth.json").read_text())
            self.add({"requests": truth["billed_ids"], "sessions": truth["unique_sessions"],
                      "live_calls": truth["tool_calls"], **truth["tokens"]["billed"]})

    def homes(self):
        """Generated once; another generator makes others."""
        generator = ROOT / "tools/gen_corpus.py"
        version = hashlib.sha256(generator.read_bytes()).hexdigest()[:12]
        place = ROOT / "target" / "lake-homes" / f"{version}-{self.options.homes}"
        if not place.exists():
            made = place.with_suffix(".part")
            shutil.rmtree(made, ignore_errors=True)
            subprocess.run([sys.executable, generator, "--homes", str(self.options.homes), "--sessions", "6", "--bytes", "60000",
                            "--projects", "3", "--out", made], check=True, stdout=subprocess.DEVNULL)
            made.rename(place)
        return sorted((it for it in place.iterdir()), key=lambda it: int(it.name))

    def each(self, work):
        """Does something with every machine, several at a time."""
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return list(threads.map(work, self.machines))

    def add(self, truth):
        for name, value in truth.items():
            self.truth[name] = self.truth.get(name, 0) + value

    def expect(self, engine, found):
        wanted = self.truth | {f"{table} NULLs": 0 for table in ("requests", "sessions", "tool_calls") if f"{table} NULLs" in found}
        differences = {name: (found.get(name), value) for name, value in wanted.items() if found.get(name) != value}
        assert not differences, f"{engine}: {differences} (found, truth)"

    def ask(self, name, *arguments):
        """Asks an engine, if it is there."""
        import engines
        try:
            return getattr(engines, name)(*arguments)
        except ImportError as error:
            print(f"skipped: {name}: {error}")
            return None

    def agree(self, question, *arguments, engines=None):
        """Every engine finds the truth."""
        for engine in engines or ENGINES:
            found = self.ask(f"{engine}_{question}", *arguments)
            if found:
                self.expect(engine, found)

    def write(self):
        def write(machine):
            machine.sync()
            machine.lake(self.lake)
        self.each(write)
        files = list(self.lake.rglob("*.parquet"))
        print(f"   {len(self.machines)} homes, {len(files)} files; truth: {self.truth}")

    def totals(self):
        self.agree("sums", self.lake, engines=ENGINES + ["spark"] * self.options.spark)

    def over_s3(self):
        try:
            import boto3
            from moto.server import ThreadedMotoServer
        except ImportError as error:
            print(f"skipped: S3: {error}")
            return
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        try:
            host, port = server.get_host_and_port()
            client = boto3.client("s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1",
                                  aws_access_key_id="x", aws_secret_access_key="x")
            client.create_bucket(Bucket="lake")
            for path in self.lake.rglob("*.parquet"):
                client.put_object(Bucket="lake", Key=str(path.relative_to(self.lake)), Body=path.read_bytes())
            self.agree("s3_sums", "lake", f"{host}:{port}", engines=["duckdb", "clickhouse"])
        finally:
            server.stop()

    def folded(self):
        """One file per month has the same rows as those of all origins."""
        folded = self.scratch / "folded"
        self.machines[0].run("lake", "--merge", self.lake, folded)
        assert len(list(folded.rglob("*.parquet"))) < len(list(self.lake.rglob("*.parquet"))) / 2
        self.agree("sums", folded, engines=["duckdb"])

    def documented(self):
        """Everything that docs/teams.md tells people to run."""
        team = self.scratch / "team"
        team.mkdir()
        (team / "lake").symlink_to(self.lake)
        self.machines[0].run("lake", "--merge", self.lake, team / "folded")
        ran = []
        for heading, language, code in blocks((ROOT / "docs/teams.md").read_text()):
            code = code.replace("/mnt/team", str(team))
            engine = {"Queries": "duckdb", "DuckDB": "duckdb", "ClickHouse": "clickhouse", "A panel in Grafana or Metabase": "clickhouse"}.get(heading)
            if language == "sql":
                for name, value in (("s3('https://bucket.s3.amazonaws.com/lake/", f"file('{self.lake}/"), ("$__timeFilter(time)", "time > '2000-01-01'")):
                    code = code.replace(name, value)
                ran.append(self.ask(f"{engine}_run", code))
            elif language == "python" and (heading != "Spark" or self.options.spark):
                self.ask("python_run", code, heading == "Spark")
                ran.append(1)
        assert len(ran) >= 5 and all(ran), ran
        print(f"   {len(ran)} blocks of docs/teams.md, {sum(ran)} answers")

    def second_run(self):
        before = snapshot(self.lake)
        for report in self.each(lambda machine: machine.lake(self.lake)):
            assert report["written"] == report["removed"] == 0, report
        assert snapshot(self.lake) == before, "a second run changed something"
        assert not (self.lake / ".tmp").exists()

    def from_disk(self):
        """The archive's tables and the files on disk make the same bytes."""
        for machine in self.machines[:3]:
            for level in ("metrics", "redacted"):
                lakes = [self.scratch / f"{machine.data.name}-{level}-{it}" for it in ("archive", "disk")]
                for lake, archive in zip(lakes, (True, False)):
                    machine.lake(lake, "--level", level, archive=archive)
                one, other = ({name: it for name, it in digests(lake).items() if name.endswith(".parquet")} for lake in lakes)
                assert one == other, (level, sorted(name for name in one | other if one.get(name) != other.get(name)))

    def types(self):
        import engines
        explained = [json.loads(it) for it in self.machines[0].run("lake", self.lake, "--explain", "--json", "--level", "full").splitlines()]
        lake = self.scratch / "typed"
        self.machines[0].lake(lake, "--level", "full")
        for row in explained:
            file = max((lake / "v1" / row["table"]).rglob("*.parquet"), key=lambda it: it.stat().st_size)
            columns = [(it["name"], it["type"]) for it in row["columns"]]
            values = {}
            for engine in ENGINES + ["spark"] * self.options.spark:
                found = self.ask(f"{engine}_types", file)
                if found is None:
                    continue
                assert list(found) == [name for name, _ in columns], (engine, row["table"], found)
                for name, kind in columns:
                    assert found[name] in engines.TYPES[kind][engine], (engine, row["table"], name, found[name])
                values[engine] = self.ask(f"{engine}_values", file, columns)
            first = next(iter(values.values()))
            for engine, found in values.items():
                assert found == first, (engine, row["table"], [it for it in zip(columns, found, first) if it[1] != it[2]])

    def iceberg(self):
        """Registered as Iceberg tables, nothing copied, and read back."""
        try:
            import pyarrow.parquet
            from pyiceberg.catalog.sql import SqlCatalog
        except ImportError as error:
            print(f"skipped: iceberg: {error}")
            return
        warehouse = self.scratch / "warehouse"
        warehouse.mkdir()
        os.environ["POLARS_ICEBERG_PLANNER"] = "pyiceberg"
        catalog = SqlCatalog("c", uri=f"sqlite:///{warehouse}/c.db", warehouse=f"file://{warehouse}")
        catalog.create_namespace("gemini")
        places = {}
        for name in ("requests", "sessions", "tool_calls"):
            # ClickHouse wants the files below the place of the table.
            place = self.scratch / "iceberg" / name
            shutil.copytree(self.lake / "v1" / name, place)
            files = sorted(map(str, place.rglob("*.parquet")))
            table = catalog.create_table(f"gemini.{name}", schema=pyarrow.parquet.read_schema(files[0]), location=f"file://{place}")
            table.add_files(files)
            try:
                table.add_files(files[:1])
                raise AssertionError("a file was added twice")
            except ValueError:
                pass
            places[name] = {"table": table, "metadata": table.metadata_location.removeprefix("file://"), "directory": place}
        self.agree("iceberg_sums", places, engines=ENGINES + ["pyiceberg"])

    def delta(self):
        """Converted to Delta tables in place, and read back."""
        try:
            from deltalake import convert_to_deltalake
            from deltalake.schema import Field, PrimitiveType, Schema
        except ImportError as error:
            print(f"skipped: delta: {error}")
            return
        places = {}
        for name in ("requests", "sessions", "tool_calls"):
            places[name] = self.scratch / "delta" / name
            shutil.copytree(self.lake / "v1" / name, places[name])
            convert_to_deltalake(str(places[name]), partition_by=Schema([Field("month", PrimitiveType("string"))]), partition_strategy="hive")
        self.agree("delta_sums", places, engines=ENGINES + ["deltalake"])

    def copied(self, seed=0):
        """A machine whose home may be changed."""
        home = self.scratch / f"copy-{seed}-{random.random()}" / ".gemini"
        shutil.copytree(self.machines[seed].home, home)
        return Machine(self.machines[0].gemtrail, home, home.parent / "data")

    def one_message(self):
        """Changes one month of one origin in each table, and nothing else."""
        machine, lake = self.copied(), self.scratch / "appended"
        machine.sync()
        for one in (machine, self.machines[1]):
            one.lake(lake)
        before = snapshot(lake)
        journal = max((it for it in machine.home.rglob("session-*.jsonl") if it.parent.name == "chats"), key=lambda it: it.stat().st_size)
        text = journal.read_text()
        if not text.endswith("\n"):
            journal.write_text(text + "\n")
        call = {"id": "read_file-1", "name": "read_file", "args": {}, "status": "success", "timestamp": "2026-12-01T00:00:00.000Z"}
        with journal.open("a") as out:
            out.write(json.dumps({"id": "feedbeef", "timestamp": "2026-12-01T00:00:00.000Z", "type": "gemini", "content": "one more",
                                  "model": "gemini-2.5-pro", "tokens": dict(input=1, output=1, cached=0, thoughts=0, tool=0, total=2),
                                  "toolCalls": [call]}) + "\n")
        machine.sync()
        for one in (machine, self.machines[1]):
            one.lake(lake)
        after = snapshot(lake)
        assert set(after) == set(before)
        changed = [name for name in after if after[name] != before[name]]
        [own] = {pathlib.PurePath(name).stem for name in changed}
        month = {it.split("/")[2] for it in changed if "month=" in it}
        assert len(month) == 1, changed
        wanted = {f"v1/{table}/{next(iter(month))}/{own}.parquet" for table in ("requests", "sessions", "tool_calls")}
        # When a project was last used is in its table, and every file in the manifest.
        assert set(changed) == wanted | {f"v1/projects/{own}.parquet", f"v1/_origins/{own}.json"}, changed

    def planted(self):
        """Words in everything that people and tools say: none may be in any byte, packed or not."""
        machine, lake = self.copied(), self.scratch / "planted"
        self.plant(machine.home)
        machine.sync()
        machine.lake(lake)
        import socket
        host = socket.gethostname()
        words = ["planted", "Planted"] + [host] * (len(host) > 3)
        for path in lake.rglob("*"):
            if not path.is_file():
                continue
            for what, data in unpacked(path):
                for word in words:
                    assert word.encode() not in data, f"{word!r} is in {path} ({what})"
        full = self.scratch / "planted-full"
        machine.lake(full, "--level", "full")
        assert any(b"planted" in data for path in full.rglob("*.parquet") for _, data in unpacked(path)), "nothing was planted"

    def plant(self, home):
        project = home / "tmp" / "planted-project"
        (project / "chats").mkdir(parents=True)
        (project / ".project_root").write_text("/home/planted/planted-project")
        lines = [
            {"sessionId": "12345678-0000-4000-8000-000000000001", "projectHash": "planted", "startTime": "2026-06-01T10:00:00.000Z",
             "lastUpdated": "2026-06-01T10:09:00.000Z", "kind": "main", "summary": "planted summary", "directories": ["/planted"]},
            {"id": "aaaa-1", "timestamp": "2026-06-01T10:00:01.000Z", "type": "user", "content": [{"text": "planted prompt"}]},
            {"id": "planted-id", "timestamp": "2026-06-01T10:00:02.000Z", "type": "gemini", "content": "planted answer", "model": "gemini-2.5-pro",
             "thoughts": [{"subject": "planted", "description": "planted", "timestamp": "2026-06-01T10:00:02.000Z"}],
             "tokens": dict(input=1, output=1, cached=0, thoughts=0, tool=0, total=2),
             "toolCalls": [{"id": "mcp_planted_do-1", "name": "mcp_planted_do", "displayName": "do (planted MCP Server)", "args": {"planted": "planted"},
                            "status": "planted_status", "timestamp": "2026-06-01T10:00:03.000Z", "description": "planted",
                            "resultDisplay": "planted", "result": [{"functionResponse": {"id": "x", "name": "x", "response": {"output": "planted"}}}]},
                           {"id": "planted-2", "name": "read_file", "args": {"file_path": "/planted"}, "status": "error",
                            "timestamp": "2026-06-01T10:00:03.000Z",
                            "result": [{"functionResponse": {"id": "x", "name": "x", "response": {"error": "planted"}}}]}]},
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (project / "chats" / "session-2026-06-01T10-00-12345678.jsonl").write_text(text)
        log = [{"sessionId": "planted-log", "messageId": 0, "type": "user", "message": "planted", "timestamp": "2026-06-02T10:00:00.000Z"}]
        (project / "logs.json").write_text(json.dumps(log))

    def secrets(self):
        """At `redacted` words go out, and no secret."""
        machine, lake = self.copied(), self.scratch / "redacted"
        # Generated, so that nobody mistakes it for a real one.
        secret = "ghp_" + "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=36))
        project = machine.home / "tmp" / "with-secret"
        (project / "chats").mkdir(parents=True)
        (project / ".project_root").write_text(f"/srv/{secret}/app")
        lines = [{"sessionId": "23456789-0000-4000-8000-000000000001", "projectHash": "x", "startTime": "2026-06-01T10:00:00.000Z",
                  "lastUpdated": "2026-06-01T10:09:00.000Z", "summary": f"uses {secret}"},
                 {"id": "aaaa-1", "timestamp": "2026-06-01T10:00:01.000Z", "type": "user", "content": [{"text": f"take {secret} please"}]}]
        (project / "chats" / "session-2026-06-01T10-00-23456789.jsonl").write_text("".join(json.dumps(it) + "\n" for it in lines))
        machine.sync()
        machine.lake(lake, "--level", "redacted")
        data = [data for path in lake.rglob("*.parquet") for _, data in unpacked(path)]
        assert not any(secret.encode() in it for it in data), "a secret left"
        assert any(b"[redacted:" in it for it in data), "the words are not there"

    def taken_back(self):
        """What is forgotten, excluded or above a lowered level is gone after the next run; the rest stays as it is."""
        import pyarrow.parquet
        machine, lake = self.copied(), self.scratch / "taken-back"
        machine.sync()
        machine.lake(lake, "--level", "full")
        before = snapshot(lake)
        session = next(json.loads(it) for it in machine.run("list", "--json").splitlines() if json.loads(it)["counts"]["tool_calls"])
        machine.run("archive", "forget", session["ref"], "--yes")
        machine.lake(lake, "--level", "full")
        after = snapshot(lake)
        month = f"month={session['started'][:7]}"
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        assert changed and all(month in name or "/projects/" in name or "/_origins/" in name for name in changed), changed
        for path in lake.rglob("*"):
            if path.is_file():
                assert not any(session["id"].encode() in data for _, data in unpacked(path)), f"{session['id']} is in {path}"

        paths = [it for it in pyarrow.parquet.read_table(next((lake / "v1/projects").glob("*.parquet")))["path"].to_pylist() if it]
        gone = hashlib.sha256(paths[0].encode()).hexdigest()
        def months():
            return {it.parent.name for it in (lake / "v1").rglob("*.parquet") if gone in pyarrow.parquet.read_table(it)["project_key"].to_pylist()}
        its = months()
        assert len(its) > 1, f"{paths[0]} is not there"
        machine.configure(f"exclude = [{json.dumps(paths[0])}]\n")
        machine.lake(lake, "--level", "full")
        left = snapshot(lake)
        assert not months(), f"{paths[0]} is still there"
        excluded = {name for name in after.keys() | left.keys() if after.get(name) != left.get(name)}
        assert all(pathlib.PurePath(name).parent.name in its | {"_origins"} for name in excluded), excluded
        print(f"   forgotten: {len(changed)} of {len(before)} files changed; excluded: {len(excluded)} of {len(after)}")

        machine.lake(lake)
        fresh = self.scratch / "taken-back-fresh"
        machine.lake(fresh)
        assert digests(lake) == digests(fresh), "not as if the level had never been higher"

    def kills(self):
        """Killed at any moment: every visible file opens, and a further run makes up for it."""
        import pyarrow.parquet
        machine = self.copied()
        machine.sync()
        undisturbed = self.scratch / "undisturbed"
        machine.lake(undisturbed, "--level", "redacted")
        wanted = digests(undisturbed)
        start = time.monotonic()
        machine.lake(self.scratch / "timed", "--level", "redacted")
        whole = time.monotonic() - start
        chance = random.Random(7)
        killed = 0
        for turn in range(self.options.kills):
            lake = self.scratch / "killed"
            if turn % 3 == 0:
                shutil.rmtree(lake, ignore_errors=True)
            # From another level back and forth, so that every file is replaced.
            level = "metrics" if turn % 2 else "redacted"
            command, environment = machine.command("lake", lake, "--level", level)
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0, whole * 1.1))
            process.send_signal(signal.SIGKILL)
            killed += process.wait() == -signal.SIGKILL
            if lake.exists():
                for path in (lake / "v1").rglob("*.parquet"):
                    pyarrow.parquet.read_table(path)
        machine.lake(lake, "--level", "redacted")
        assert digests(lake) == wanted, "not what an undisturbed run writes"
        print(f"   {killed} of {self.options.kills} were killed while they ran")


def blocks(text):
    """The code in a document: the heading above it, its language and the code."""
    heading, code = None, None
    for line in text.split("\n"):
        if code is not None:
            if line == "```":
                yield heading, language, "\n".join(code)
                code = None
            else:
                code.append(line)
        elif line.startswith("```"):
            language, code = line[3:], []
        elif line.startswith("#"):
            heading = line.lstrip("# ")


def unpacked(path):
    """The bytes of a file, and those of its pages and dictionaries without compression."""
    raw = path.read_bytes()
    yield "raw", raw
    if path.suffix != ".parquet":
        return
    import io
    import pyarrow.parquet
    table = pyarrow.parquet.read_table(io.BytesIO(raw))
    out = io.BytesIO()
    pyarrow.parquet.write_table(table, out, compression="none")
    yield "without compression", out.getvalue()
    footer = pyarrow.parquet.ParquetFile(io.BytesIO(raw)).metadata
    for group in range(footer.num_row_groups):
        for column in range(footer.num_columns):
            chunk = footer.row_group(group).column(column)
            if chunk.physical_type == "BYTE_ARRAY":
                assert not chunk.is_stats_set, f"{path}: {chunk.path_in_schema} has statistics"
            start = chunk.dictionary_page_offset or chunk.data_page_offset
            yield chunk.path_in_schema, unpacked_pages(raw[start:start + chunk.total_compressed_size])


def unpacked_pages(chunk):
    """Every Zstandard frame in a column chunk, whatever page it belongs to."""
    import pyarrow
    frames, at = [], 0
    while (at := chunk.find(b"\x28\xb5\x2f\xfd", at)) >= 0:
        try:
            stream = pyarrow.CompressedInputStream(pyarrow.BufferReader(chunk[at:]), "zstd")
            frames.append(stream.read())
        except (OSError, pyarrow.ArrowInvalid):
            pass
        at += 4
    assert frames, "no page was found"
    return b"".join(frames)


if __name__ == "__main__":
    main()

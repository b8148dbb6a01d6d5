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

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = pathlib.Path(os.environ.get("GEMTRAIL_LAKE_VENV", ROOT / "target" / "lake-venv"))
PACKAGES = ["duckdb", "polars", "pyarrow", "chdb", "pyiceberg[sql-sqlite]", "deltalake", "moto[server]", "boto3", "duckdb-extension-httpfs"]
KEY = "a key that the tests share"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gemtrail", nargs="?", default=ROOT / "target/debug/gemtrail", type=pathlib.Path)
    parser.add_argument("--homes", type=int, default=4)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--spark", action="store_true")
    options = parser.parse_args()
    if not os.environ.get("GEMTRAIL_IN_VENV"):
        provide(PACKAGES + ["pyspark"] * options.spark)
        environment = dict(os.environ, GEMTRAIL_IN_VENV="1")
        os.execve(VENV / "bin/python", [str(VENV / "bin/python"), *map(str, sys.argv)], environment)
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    with tempfile.TemporaryDirectory() as scratch:
        test = Test(options, pathlib.Path(scratch))
        for step in (test.totals, test.second_run, test.types, test.tables, test.one_message, test.planted,
                     test.secrets, test.kills):
            start = time.monotonic()
            step()
            print(f"ok: {step.__name__} ({time.monotonic() - start:.1f} s)", flush=True)


def provide(packages):
    """Installs what is missing, one by one: one that cannot be had does not keep the others away."""
    python = VENV / "bin" / "python"
    if not python.exists():
        venv.create(VENV, with_pip=True)
    known = subprocess.run([python, "-m", "pip", "list", "--format", "freeze"], capture_output=True, text=True).stdout.lower()
    for package in packages:
        if f"{package.split('[')[0].lower()}==" not in known:
            subprocess.run([python, "-m", "pip", "install", "-q", package], stderr=subprocess.DEVNULL, timeout=600)


class Machine:
    """One machine: a home, a data directory, a place in the lake."""

    def __init__(self, gemtrail, home, data):
        self.gemtrail, self.home, self.data = gemtrail, home, data
        data.mkdir(parents=True, exist_ok=True)
        (data / "system.toml").write_text(f'[lake]\nkey = "{KEY}"\n')

    def command(self, *arguments):
        environment = {
            "HOME": str(self.data), "GEMTRAIL_DATA_DIR": str(self.data), "USER": "planted-user", "TZ": "UTC",
            "GEMTRAIL_SYSTEM_CONFIG": str(self.data / "system.toml"), "PATH": os.environ["PATH"],
        }
        return [str(it) for it in (self.gemtrail, "--home", self.home, *arguments)], environment

    def run(self, *arguments):
        command, environment = self.command(*arguments)
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, (command, result.stderr)
        return result.stdout

    def lake(self, lake, *more):
        return json.loads(self.run("lake", lake, "--json", *more))


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
        self.machines = []
        self.truth = {}
        homes = ROOT / "target" / "lake-homes"
        for seed in range(options.homes):
            place = homes / f"{seed}"
            if not (place / "truth.json").exists():
                shutil.rmtree(place, ignore_errors=True)
                subprocess.run([sys.executable, ROOT / "tools/gen_corpus.py", "--sessions", "6", "--bytes", "60000",
                                "--projects", "3", "--seed", str(seed), "--out", place], check=True, stdout=subprocess.DEVNULL)
            self.machines.append(Machine(options.gemtrail.resolve(), place / "home/.gemini", scratch / f"data-{seed}"))
            truth = json.loads((place / "truth.json").read_text())
            self.add({"requests": truth["billed_ids"], "sessions": truth["unique_sessions"],
                      "live_calls": truth["tool_calls"], **truth["tokens"]["billed"]})

    def add(self, truth):
        for name, value in truth.items():
            self.truth[name] = self.truth.get(name, 0) + value

    def expect(self, engine, found):
        differences = {name: (found.get(name), value) for name, value in self.truth.items() if found.get(name) != value}
        assert not differences, f"{engine}: {differences} (found, truth)"

    def ask(self, name, *arguments):
        """Asks an engine, if it is there."""
        import engines
        try:
            return getattr(engines, name)(*arguments)
        except ImportError as error:
            print(f"skipped: {name}: {error}")
            return None

    def totals(self):
        for machine in self.machines:
            machine.lake(self.lake)
        names = ["duckdb_sums", "clickhouse_sums", "polars_sums"] + ["spark_sums"] * self.options.spark
        for name in names:
            found = self.ask(name, self.lake)
            if found:
                self.expect(name, found)
        self.over_s3()

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
            for name in ("duckdb_s3_sums", "clickhouse_s3_sums"):
                found = self.ask(name, "lake", f"{host}:{port}")
                if found:
                    self.expect(name, found)
        finally:
            server.stop()

    def second_run(self):
        before = snapshot(self.lake)
        for machine in self.machines:
            report = machine.lake(self.lake)
            assert report["written"] == report["removed"] == 0, report
        assert snapshot(self.lake) == before, "a second run changed something"
        assert not (self.lake / ".tmp").exists()

    def types(self):
        import engines
        explained = [json.loads(it) for it in self.machines[0].run("lake", self.lake, "--explain", "--json", "--level", "full").splitlines()]
        lake = self.scratch / "typed"
        self.machines[0].lake(lake, "--level", "full")
        for row in explained:
            file = next(iter(sorted((lake / "v1" / row["table"]).rglob("*.parquet"))))
            for engine in ("duckdb", "clickhouse", "polars"):
                found = self.ask(f"{engine}_types", file)
                if found is None:
                    continue
                # ClickHouse reads it off the directory.
                found.pop("month", None)
                assert list(found) == [it["name"] for it in row["columns"]], (engine, row["table"], found)
                for column in row["columns"]:
                    expected = engines.TYPES[column["type"]][engine]
                    assert found[column["name"]] in expected, (engine, row["table"], column, found[column["name"]])

    def tables(self):
        """Registered as Iceberg and as Delta, and read back."""
        for register in (self.iceberg, self.delta):
            try:
                frame = register()
            except ImportError as error:
                print(f"skipped: {register.__name__}: {error}")
                continue
            assert len(frame) == self.truth["requests"], register.__name__
            assert int(frame["total"].sum()) == self.truth["total"], register.__name__
            for name in ("origin", "session_id", "message_id", "model", "total", "state"):
                assert not frame[name].isnull().any(), f"{register.__name__}: {name} has NULLs"

    def iceberg(self):
        import pyarrow.parquet
        logging.getLogger("pyiceberg").setLevel(logging.ERROR)
        from pyiceberg.catalog.sql import SqlCatalog
        warehouse = self.scratch / "warehouse"
        warehouse.mkdir()
        catalog = SqlCatalog("c", uri=f"sqlite:///{warehouse}/c.db", warehouse=f"file://{warehouse}")
        catalog.create_namespace("gemini")
        files = sorted(map(str, (self.lake / "v1/requests").rglob("*.parquet")))
        schema = pyarrow.parquet.ParquetFile(files[0]).schema_arrow
        table = catalog.create_table("gemini.requests", schema=schema)
        table.add_files(files)
        return Columns(table.scan().to_arrow())

    def delta(self):
        from deltalake import DeltaTable, convert_to_deltalake
        from deltalake.schema import Field, PrimitiveType, Schema
        copy = self.scratch / "delta"
        shutil.copytree(self.lake / "v1/requests", copy)
        convert_to_deltalake(str(copy), partition_by=Schema([Field("month", PrimitiveType("string"))]), partition_strategy="hive")
        return Columns(DeltaTable(str(copy)).to_pyarrow_table())

    def copied(self, seed=0):
        """A machine whose home may be changed."""
        home = self.scratch / f"copy-{seed}-{random.random()}" / ".gemini"
        shutil.copytree(self.machines[seed].home, home)
        return Machine(self.machines[0].gemtrail, home, home.parent / "data")

    def one_message(self):
        machine, lake = self.copied(), self.scratch / "appended"
        machine.lake(lake)
        before = snapshot(lake)
        journal = max((it for it in machine.home.rglob("session-*.jsonl") if it.parent.name == "chats"), key=lambda it: it.stat().st_size)
        text = journal.read_text()
        if not text.endswith("\n"):
            journal.write_text(text + "\n")
        with journal.open("a") as out:
            out.write(json.dumps({"id": "feedbeef", "timestamp": "2026-12-01T00:00:00.000Z", "type": "gemini", "content": "one more",
                                  "model": "gemini-2.5-pro", "tokens": dict(input=1, output=1, cached=0, thoughts=0, tool=0, total=2)}) + "\n")
        machine.lake(lake)
        after = snapshot(lake)
        changed = sorted({name.rsplit("/", 1)[0] for name in after if after[name] != before.get(name) and name.endswith(".parquet")})
        months = {it.rsplit("=", 1)[1] for it in changed if "month=" in it}
        assert len(months) == 1, changed
        assert {it.split("/")[1] for it in changed} <= {"requests", "sessions", "projects"}, changed

    def planted(self):
        """Words in everything that people and tools say: none may be in any byte, packed or not."""
        machine, lake = self.copied(), self.scratch / "planted"
        self.plant(machine.home)
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
        secret = "ghp_" + "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=36))
        project = machine.home / "tmp" / "with-secret"
        (project / "chats").mkdir(parents=True)
        lines = [{"sessionId": "23456789-0000-4000-8000-000000000001", "projectHash": "x", "startTime": "2026-06-01T10:00:00.000Z",
                  "lastUpdated": "2026-06-01T10:09:00.000Z", "summary": f"uses {secret}"},
                 {"id": "aaaa-1", "timestamp": "2026-06-01T10:00:01.000Z", "type": "user", "content": [{"text": f"take {secret} please"}]}]
        (project / "chats" / "session-2026-06-01T10-00-23456789.jsonl").write_text("".join(json.dumps(it) + "\n" for it in lines))
        machine.lake(lake, "--level", "redacted")
        data = [data for path in lake.rglob("*.parquet") for _, data in unpacked(path)]
        assert not any(secret.encode() in it for it in data), "a secret left"
        assert any(b"[redacted:" in it for it in data), "the words are not there"

    def kills(self):
        """Killed at any moment: every visible file opens, and a further run makes up for it."""
        import pyarrow.parquet
        machine = self.copied()
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


class Columns:
    """The columns of an Arrow table, as far as the questions go."""

    def __init__(self, table):
        self.table = table

    def __len__(self):
        return self.table.num_rows

    def __getitem__(self, name):
        return Column(self.table[name])


class Column:
    def __init__(self, values):
        self.values = values

    def sum(self):
        import pyarrow.compute
        return pyarrow.compute.sum(self.values).as_py()

    def isnull(self):
        return self

    def any(self):
        return self.values.null_count > 0


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

"""The npm launcher, with scripts in the place of the program."""
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

import loopback
import release
from try_release import here

NODE = shutil.which("node")


@unittest.skipUnless(NODE and sys.platform == "linux", "needs Node on Linux")
class Launcher(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.modules = pathlib.Path(directory.name) / "node_modules"
        self.install("gemtrail")

    def install(self, *names):
        for path in (release.once() / "npm").iterdir():
            name = loopback.manifest(path)["name"]
            if name in names:
                with tarfile.open(path) as file:
                    file.extractall(self.modules / "unpacked", filter="data")
                (self.modules / name).parent.mkdir(parents=True, exist_ok=True)
                (self.modules / "unpacked" / "package").rename(self.modules / name)

    def program(self, libc):
        target = next(target for target in here() if target.libc == libc)
        self.install(target.npm)
        return self.modules / target.npm / "bin" / "gemtrail"

    def command(self, *arguments):
        return [NODE, str(self.modules / "gemtrail" / "bin" / "gemtrail.js"), *arguments]

    def run_it(self, *arguments, **options):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, **options)

    def test_arguments_output_and_exit_code_pass_through(self):
        self.program("glibc")
        ran = self.run_it("fail", "two words")
        self.assertEqual((ran.stdout, ran.returncode), ("gemtrail fail two words\n", 3))

    def test_standard_input_passes_through(self):
        self.program("glibc").write_text("#!/bin/sh\ncat\n")
        self.assertEqual(self.run_it(input="through").stdout, "through")

    def test_a_missing_platform_is_named(self):
        ran = self.run_it("list")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("is not installed", ran.stderr)
        self.assertIn(here()[0].npm, ran.stderr)

    def test_the_static_program_runs_where_the_other_has_no_loader(self):
        self.program("glibc").write_text("#!/no/such/loader\n")
        self.program("musl")
        self.assertEqual(self.run_it("list").stdout, "gemtrail list\n")

    def test_a_program_that_cannot_run_is_named(self):
        self.program("glibc").write_text("#!/no/such/loader\n")
        ran = self.run_it("list")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("cannot be run", ran.stderr)

    def test_a_signal_reaches_the_program_and_is_how_both_end(self):
        program = self.program("glibc")
        program.write_text("#!/bin/sh\ntrap 'echo ended; trap - TERM; kill -TERM $$' TERM\necho begun\nwhile :; do sleep 0.05; done\n")
        child = subprocess.Popen(self.command(), stdout=subprocess.PIPE, text=True)
        self.addCleanup(child.stdout.close)
        self.assertEqual(child.stdout.readline(), "begun\n")
        time.sleep(0.1)
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.stdout.read(), "ended\n")
        self.assertEqual(child.wait(timeout=20), -signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()

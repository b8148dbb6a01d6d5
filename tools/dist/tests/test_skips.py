"""What is unavailable is reported as skipped; nothing fails because of it."""
import contextlib
import io
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import release  # noqa: F401 (sets the path of the modules)
import cargo
import stages
import tools
import try_npm
from report import Report


def quietly():
    return contextlib.redirect_stdout(io.StringIO())


class Skips(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def path_with(self, **scripts):
        """A directory with these programs and no others, as the whole PATH."""
        for name, text in scripts.items():
            path = self.directory / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        return mock.patch.dict(os.environ, {"PATH": str(self.directory)})

    def test_a_target_that_rustup_cannot_add_is_unavailable(self):
        with self.path_with(rustc="echo host: here", rustup="echo error: no such target >&2; exit 1"):
            with self.assertRaisesRegex(cargo.Unavailable, "no such target"):
                cargo.prepare("x86_64-apple-darwin", tools.Tools(self.directory))

    def test_without_rustup_other_targets_are_unavailable(self):
        with self.path_with(rustc="echo host: here"), self.assertRaisesRegex(cargo.Unavailable, "rustup"):
            cargo.prepare("x86_64-apple-darwin", tools.Tools(self.directory))

    def test_without_zig_programs_for_linux_are_unavailable(self):
        with self.assertRaisesRegex(cargo.Unavailable, "zig"):
            cargo.prepare("x86_64-unknown-linux-gnu", tools.Tools(self.directory))

    def test_a_check_without_zig_and_targets_builds_for_this_machine(self):
        report = Report()
        unavailable = mock.patch.object(cargo, "prepare", side_effect=cargo.Unavailable("not here"))
        with quietly(), unavailable, mock.patch.object(cargo, "build_plainly") as plainly:
            _, as_released = stages.build(report, tools.Tools(self.directory), self.directory, "smoke")
            self.assertEqual(report.finish(), 0)
        self.assertFalse(as_released)
        plainly.assert_called_once()
        self.assertEqual(len(report.skipped), 2)

    def test_a_check_without_the_static_target_does_the_rest(self):
        report = Report()
        answers = mock.patch.object(cargo, "prepare", side_effect=[None, cargo.Unavailable("not here")])
        with quietly(), answers, mock.patch.object(cargo, "build", return_value=[]) as built:
            _, as_released = stages.build(report, tools.Tools(self.directory), self.directory, "smoke")
        self.assertTrue(as_released)
        self.assertEqual([len(built.call_args.args[0]), len(report.skipped), report.failures], [1, 1, 0])

    def test_a_machine_without_npm_skips_its_checks(self):
        report = Report()
        with quietly(), self.path_with():
            try_npm.scenario(self.directory, report)
            self.assertEqual(report.finish(), 0)
        self.assertEqual(report.skipped, ["npm"])

    def test_tools_that_cannot_be_installed_are_missing(self):
        broken = mock.patch("subprocess.run", side_effect=OSError)
        installed = self.directory / "bin"
        installed.mkdir()
        with broken:
            found = tools.install(self.directory, tools.TRYING)
        self.assertIsNone(found.uv)


if __name__ == "__main__":
    unittest.main()

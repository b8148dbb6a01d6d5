"""The modules in the packages, and the programs of the README."""
import subprocess
import sys
import tarfile
import unittest
import zipfile

import npm
import programs
import release
from project import ROOT


class Programs(unittest.TestCase):
    def test_the_types_are_those_of_the_schemas(self):
        command = [sys.executable, ROOT / "tools" / "write_types.py", "--check"]
        ran = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout)

    def test_the_program_in_rust_is_an_example_that_is_built_and_run(self):
        example = ROOT / "crates" / "gemtrail-store" / "examples" / "prompts.rs"
        self.assertTrue(example.read_text().endswith(programs.program("rust")))

    def test_programs_are_short(self):
        for language in ("python", "js", "rust"):
            lines = [line for line in programs.program(language).splitlines() if any(map(str.isalpha, line))]
            self.assertLessEqual(len(lines), 13, language)

    def test_the_packages_have_the_modules(self):
        for path in (release.once() / "wheels").iterdir():
            with zipfile.ZipFile(path) as file:
                names = {f"gemtrail/{name}" for name in ("__init__.py", "_program.py", "documents.py", "py.typed")}
                self.assertLessEqual(names, set(file.namelist()))
        launcher = next(path for path in (release.once() / "npm").iterdir() if path.name.startswith("gemtrail-0") or path.name[9].isdigit())
        with tarfile.open(launcher) as file:
            self.assertLessEqual({f"package/{name}" for name in npm.MODULE}, set(file.getnames()))


if __name__ == "__main__":
    unittest.main()

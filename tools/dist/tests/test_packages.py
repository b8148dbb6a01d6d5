"""What is in the packages, and that it is the same every time."""
import base64
import csv
import hashlib
import io
import pathlib
import subprocess
import tarfile
import tempfile
import tomllib
import unittest
import zipfile

import loopback
import release
from archives import Entry, ar, tar, zip_file
from project import ROOT, load
from targets import BY_TRIPLE, TARGETS

PROJECT = load()
LINUX = BY_TRIPLE["x86_64-unknown-linux-gnu"]


class Packages(unittest.TestCase):
    def test_the_same_programs_give_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as again:
            for path in release.packed(again):
                first = release.once() / path.relative_to(again)
                self.assertEqual(first.read_bytes(), path.read_bytes(), path.name)

    def test_a_release_without_all_targets_is_refused(self):
        with tempfile.TemporaryDirectory() as out, self.assertRaisesRegex(release.pack.Incomplete, "apple"):
            release.packed(out, [LINUX], complete=True)

    def test_what_an_earlier_run_left_goes_away(self):
        with tempfile.TemporaryDirectory() as out:
            (pathlib.Path(out) / "npm").mkdir()
            (pathlib.Path(out) / "npm" / "gemtrail-0.0.1.tgz").touch()
            written = release.packed(out, [LINUX])
            self.assertEqual(sorted(pathlib.Path(out).rglob("*.*gz")), sorted(it for it in written if it.name.endswith("gz")))

    def test_one_version_for_all(self):
        workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
        own = [it["version"] for it in workspace["dependencies"].values() if isinstance(it, dict) and "path" in it and "version" in it]
        self.assertEqual(set(own), {PROJECT.version})
        for path in release.once().rglob("gemtrail*.*"):
            if path.name not in ("gemtrail.rb", "gemtrail.json"):
                self.assertIn(PROJECT.version, path.name)

    def test_the_launcher_pins_every_platform_exactly(self):
        npm = release.once() / "npm"
        manifests = {found["name"]: found for found in map(loopback.manifest, npm.iterdir())}
        launcher = manifests.pop("gemtrail")
        self.assertEqual(launcher["optionalDependencies"], {name: PROJECT.version for name in manifests})
        self.assertNotIn("scripts", launcher)
        for target in TARGETS:
            manifest = manifests[target.npm]
            self.assertEqual((manifest["os"], manifest["cpu"]), ([target.os], [target.cpu]))
            self.assertEqual(manifest.get("libc"), [target.libc] if target.libc else None)

    def test_programs_are_executable_in_all_packages(self):
        for path in release.once().rglob("*gz"):
            with tarfile.open(path) as file:
                modes = [it.mode for it in file if pathlib.PurePath(it.name).name in ("gemtrail", "gemtrail.exe", "gemtrail.js")]
                self.assertEqual(modes, [0o755], path.name)
        for path in [*release.once().rglob("*.whl"), *release.once().rglob("*.zip")]:
            with zipfile.ZipFile(path) as file:
                modes = [it.external_attr >> 16 for it in file.infolist() if pathlib.PurePath(it.filename).stem == "gemtrail" and not it.filename.endswith(".1")]
                self.assertIn(0o100755, modes, path.name)

    def test_the_record_of_a_wheel_has_all_its_files(self):
        for path in (release.once() / "wheels").iterdir():
            with zipfile.ZipFile(path) as file:
                info = f"gemtrail-{PROJECT.version}.dist-info/"
                rows = list(csv.reader(io.StringIO(file.read(f"{info}RECORD").decode())))
                self.assertEqual({row[0] for row in rows}, set(file.namelist()))
                for name, digest, size in rows:
                    if name != f"{info}RECORD":
                        data = file.read(name)
                        wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
                        self.assertEqual((digest, size), (f"sha256={wanted}", str(len(data))))
                tags = [line for line in file.read(f"{info}WHEEL").decode().splitlines() if line.startswith("Tag: ")]
                name = path.stem.split("-py3-none-")[1]
                self.assertEqual(tags, [f"Tag: py3-none-{tag}" for tag in name.split(".")])

    def test_archives_have_man_pages_completions_and_licences(self):
        for target in TARGETS:
            path = release.once() / "release" / target.archive(PROJECT.version)
            names = zipfile.ZipFile(path).namelist() if target.windows else tarfile.open(path).getnames()
            top = f"gemtrail-{PROJECT.version}-{target.triple}/"
            for name in ("man/gemtrail.1", "completions/_gemtrail", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"):
                self.assertIn(top + name, names)

    def test_the_installer_is_a_script(self):
        script = release.once() / "release" / "install.sh"
        self.assertEqual(subprocess.run(["sh", "-n", str(script)]).returncode, 0)


class Archives(unittest.TestCase):
    def test_the_order_of_entries_does_not_count(self):
        entries = [Entry("b", b"2"), Entry("a", b"1", 0o755)]
        self.assertEqual(tar(entries), tar(entries[::-1]))
        self.assertEqual(zip_file(entries), zip_file(entries[::-1]))

    def test_members_of_ar_start_at_even_places(self):
        data = ar([Entry("one", b"1"), Entry("two", b"22")])
        self.assertEqual(data.index(b"two") % 2, 0)
        self.assertEqual(len(data) % 2, 0)


if __name__ == "__main__":
    unittest.main()

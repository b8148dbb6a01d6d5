"""Whatever names a file of the release names one that is there."""
import hashlib
import json
import re
import unittest

import release
from project import load
from targets import TARGETS

PROJECT = load()


def files():
    return {path.name for path in (release.once() / "release").iterdir()}


def listed():
    lines = (release.once() / "release" / "SHA256SUMS").read_text().splitlines()
    return {name: digest for digest, name in (line.split("  ") for line in lines)}


def expand(template, target):
    """A template of cargo-binstall for one target."""
    values = {"repo": PROJECT.repository, "version": PROJECT.version, "target": target.triple, "bin": "gemtrail"}
    values["binary-ext"] = ".exe" if target.windows else ""
    return re.sub(r"\{ ([a-z-]+) \}", lambda found: values[found[1]], template)


class Addresses(unittest.TestCase):
    def assert_released(self, url, digest=None):
        base, name = url.rsplit("/", 1)
        self.assertEqual(base, PROJECT.downloads)
        self.assertIn(name, listed())
        if digest:
            self.assertEqual(digest, listed()[name])

    def test_checksums_are_those_of_all_other_files(self):
        self.assertEqual(set(listed()), files() - {"SHA256SUMS"})
        for name, digest in listed().items():
            data = (release.once() / "release" / name).read_bytes()
            self.assertEqual(hashlib.sha256(data).hexdigest(), digest, name)

    def test_the_formula_names_what_is_released(self):
        text = (release.once() / "release" / "gemtrail.rb").read_text()
        pairs = re.findall(r'url "([^"]+)"\s+sha256 "([^"]+)"', text)
        self.assertEqual(len(pairs), 4)
        for url, digest in pairs:
            self.assert_released(url, digest)

    def test_the_manifest_of_scoop_names_what_is_released(self):
        manifest = json.loads((release.once() / "release" / "gemtrail.json").read_text())
        self.assertEqual(set(manifest["architecture"]), {"64bit", "arm64"})
        for architecture in manifest["architecture"].values():
            self.assert_released(architecture["url"], architecture["hash"])
        for name, update in manifest["autoupdate"]["architecture"].items():
            filled = {key: value.replace("$version", PROJECT.version) for key, value in update.items()}
            self.assertEqual(filled["url"], manifest["architecture"][name]["url"])
            self.assertEqual(filled["extract_dir"], manifest["architecture"][name]["extract_dir"])

    def test_binstall_finds_every_target(self):
        for target in TARGETS:
            settings = PROJECT.binstall | PROJECT.binstall.get("overrides", {}).get(target.triple, {})
            self.assert_released(expand(settings["pkg-url"], target))
            self.assertEqual(settings["pkg-fmt"], "zip" if target.windows else "tgz")
            inside = expand(PROJECT.binstall["bin-dir"], target)
            self.assertEqual(inside, f"gemtrail-{PROJECT.version}-{target.triple}/{target.binary}")

    def test_the_installer_names_what_is_released(self):
        text = (release.once() / "release" / "install.sh").read_text()
        pairs = re.findall(r"file=(\S+) sum=(\S+)", text)
        self.assertEqual(len(pairs), 6)
        for name, digest in pairs:
            self.assert_released(f"{PROJECT.downloads}/{name}", digest)
        self.assertIn(f"'{PROJECT.downloads}'", text)

    def test_no_template_is_left_unfilled(self):
        for name in ("install.sh", "gemtrail.rb", "gemtrail.json"):
            self.assertNotRegex((release.once() / "release" / name).read_text(), r"@[A-Z]+@", name)

    def test_the_documentation_names_what_is_released(self):
        for name in ("README.md", "docs/release.md"):
            text = (release.pack.ROOT / name).read_text()
            for found in re.findall(rf"{PROJECT.repository}/releases/latest/download/(\S+?)[\s`)]", text):
                self.assertIn(found, files(), name)


if __name__ == "__main__":
    unittest.main()

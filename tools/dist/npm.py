"""npm packages: a launcher and a module that everybody gets, and one package with the program for each platform.

The platforms are optional dependencies of the launcher, pinned exactly; npm installs the one that fits. There is no
install script: companies forbid them, and `--ignore-scripts` is common.
"""
import json

from archives import Entry, tar_gz
from project import ROOT

TEMPLATES = ROOT / "packaging" / "npm"
MODULE = ("README.md", "documents.d.ts", "index.d.ts", "index.js", "program.js")


def file_name(package, version):
    """As `npm pack` calls it."""
    return f"{package.removeprefix('@').replace('/', '-')}-{version}.tgz"


def launcher(project, targets, contents):
    manifest = _manifest("gemtrail", project) | {
        "keywords": list(project.keywords),
        "bin": {"gemtrail": "bin/gemtrail.js"},
        "main": "index.js",
        "types": "index.d.ts",
        "engines": {"node": ">=18"},
        "optionalDependencies": {target.npm: project.version for target in targets},
    }
    return _pack(manifest, contents, [
        Entry("package/bin/gemtrail.js", (TEMPLATES / "gemtrail.js").read_bytes(), 0o755),
        *(Entry(f"package/{name}", (TEMPLATES / name).read_bytes()) for name in MODULE),
    ])


def platform(project, target, program, contents):
    manifest = _manifest(target.npm, project) | {"os": [target.os], "cpu": [target.cpu]}
    if target.libc:
        manifest["libc"] = [target.libc]
    # Yarn would otherwise try to run the program from inside a zip file.
    manifest["preferUnplugged"] = True
    readme = f"The program of [gemtrail](https://www.npmjs.com/package/gemtrail) for {target.triple}. Install `gemtrail` instead.\n"
    return _pack(manifest, contents, [
        Entry(f"package/bin/{target.binary}", program, 0o755),
        Entry("package/README.md", readme.encode()),
    ])


def _manifest(name, project):
    return {
        "name": name,
        "version": project.version,
        "description": project.description,
        "license": project.licence,
        "homepage": project.repository,
        "repository": {"type": "git", "url": f"git+{project.repository}.git"},
    }


def _pack(manifest, contents, entries):
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    return tar_gz([Entry("package/package.json", text.encode()), *contents.licence_entries("package/"), *entries])

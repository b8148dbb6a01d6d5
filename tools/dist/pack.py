"""All packages of a release, from a directory of programs."""
import hashlib
import pathlib
import shutil

import channels
import contents as documents
import debian
import npm
import wheel
from archives import Entry, tar_gz, zip_file
from project import ROOT, load
from targets import BY_TRIPLE, TARGETS

PORTABLE = ("x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu")


class Incomplete(Exception):
    """Programs are missing."""


def programs(directory):
    """The programs by target: DIRECTORY/<target triple>/gemtrail."""
    found = {target: pathlib.Path(directory) / target.triple / target.binary for target in TARGETS}
    return {target: path for target, path in found.items() if path.is_file()}


def pack(directory, out, complete=False):
    """Writes OUT/npm, OUT/wheels and OUT/release; gives the paths of all files."""
    found = programs(directory)
    missing = [target.triple for target in TARGETS if target not in found]
    if complete and missing:
        raise Incomplete(f"no program for {', '.join(missing)}")
    runnable = [found[BY_TRIPLE[triple]] for triple in PORTABLE if BY_TRIPLE[triple] in found]
    if not runnable:
        raise Incomplete(f"no program for {' or '.join(PORTABLE)}, which writes the man pages")
    project = load()
    contents = documents.collect(ROOT, runnable[0].resolve())
    files, archives = {}, {}
    for target, path in found.items():
        program = path.read_bytes()
        files[f"npm/{npm.file_name(target.npm, project.version)}"] = npm.platform(project, target, program, contents)
        files[f"wheels/{wheel.file_name(project, target)}"] = wheel.build(project, target, program, contents)
        name, data = target.archive(project.version), archive(project, target, program, contents)
        files[f"release/{name}"] = data
        archives[target] = name, hashlib.sha256(data).hexdigest()
        if target.deb:
            files[f"release/{debian.file_name(project, target)}"] = debian.build(project, target, program, contents)
    files[f"npm/{npm.file_name('gemtrail', project.version)}"] = npm.launcher(project, found, contents)
    files["release/install.sh"] = channels.installer(project, archives)
    files["release/gemtrail.rb"] = channels.formula(project, archives)
    files["release/gemtrail.json"] = channels.scoop(project, archives)
    files["release/SHA256SUMS"] = sums(files)
    return write(pathlib.Path(out), files)


def archive(project, target, program, contents):
    """A `.tar.gz` or `.zip` with everything in a directory of its own."""
    top = f"gemtrail-{project.version}-{target.triple}/"
    entries = [
        Entry(f"{top}{target.binary}", program, 0o755),
        Entry(f"{top}CHANGELOG.md", (ROOT / "CHANGELOG.md").read_bytes()),
        *contents.licence_entries(top),
        *contents.completion_entries(f"{top}completions/"),
        *contents.man_entries(f"{top}man/"),
    ]
    return zip_file(entries) if target.windows else tar_gz(entries)


def sums(files):
    """The checksums of what is downloaded from the release, as `sha256sum --check` wants them."""
    released = {path.removeprefix("release/"): data for path, data in files.items() if path.startswith("release/")}
    return "".join(f"{hashlib.sha256(released[name]).hexdigest()}  {name}\n" for name in sorted(released)).encode()


def write(out, files):
    for part in ("npm", "wheels", "release"):
        # What an earlier run left must not be published.
        shutil.rmtree(out / part, ignore_errors=True)
        (out / part).mkdir(parents=True)
    for name, data in sorted(files.items()):
        (out / name).write_bytes(data)
    return [out / name for name in sorted(files)]

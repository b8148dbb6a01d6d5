"""Python wheels: the program as a script, and a module over it."""
import base64
import hashlib

from archives import Entry, zip_file
from project import ROOT

DESCRIPTION = ROOT / "packaging" / "pypi.md"
MODULE = ROOT / "packaging" / "python" / "gemtrail"


def file_name(project, target):
    return f"gemtrail-{project.version}-py3-none-{target.wheel}.whl"


def build(project, target, program, contents):
    stem = f"gemtrail-{project.version}"
    info = f"{stem}.dist-info"
    module = [path for path in MODULE.iterdir() if path.suffix in (".py", ".typed")]
    entries = [
        *(Entry(f"gemtrail/{path.name}", path.read_bytes()) for path in module),
        Entry(f"{stem}.data/scripts/{target.binary}", program, 0o755),
        # pipx and uv link these, so that `man gemtrail` works.
        *contents.man_entries(f"{stem}.data/data/share/man/man1/"),
        *contents.licence_entries(f"{info}/licenses/"),
        Entry(f"{info}/METADATA", _metadata(project, contents).encode()),
        Entry(f"{info}/WHEEL", _wheel(target).encode()),
    ]
    record = "".join(f"{entry.name},{_digest(entry.data)},{len(entry.data)}\n" for entry in sorted(entries))
    entries.append(Entry(f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode()))
    return zip_file(entries)


def _metadata(project, contents):
    head = [
        "Metadata-Version: 2.4",
        "Name: gemtrail",
        f"Version: {project.version}",
        f"Summary: {project.description}",
        f"Author: {project.authors}",
        f"License-Expression: {project.licence}",
        *(f"License-File: {name}" for name in sorted(contents.licences)),
        f"Keywords: {','.join(project.keywords)}",
        f"Project-URL: Repository, {project.repository}",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(head) + "\n\n" + DESCRIPTION.read_text()


def _wheel(target):
    # A file name has all tags in one, the file lists them.
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in target.wheel.split("."))
    return f"Wheel-Version: 1.0\nGenerator: gemtrail tools/dist\nRoot-Is-Purelib: false\n{tags}"


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()

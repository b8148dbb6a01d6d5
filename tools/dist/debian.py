"""Debian packages, without Debian's tools: an `ar` archive of two tar files."""
import hashlib

from archives import Entry, ar, gz, tar_xz
from project import ROOT

TEMPLATES = ROOT / "packaging" / "deb"
# Where Debian looks for the completions of each shell.
COMPLETIONS = {
    "bash": "./usr/share/bash-completion/completions/gemtrail",
    "fish": "./usr/share/fish/vendor_completions.d/gemtrail.fish",
    "zsh": "./usr/share/zsh/vendor-completions/_gemtrail",
}


def file_name(project, target):
    return f"gemtrail_{project.version}_{target.deb}.deb"


def build(project, target, program, contents):
    documents = "./usr/share/doc/gemtrail/"
    files = [
        Entry("./usr/bin/gemtrail", program, 0o755),
        Entry(f"{documents}copyright", (TEMPLATES / "copyright").read_bytes()),
        Entry(f"{documents}CHANGELOG.md.gz", gz((ROOT / "CHANGELOG.md").read_bytes())),
        Entry(f"{documents}THIRD-PARTY.txt.gz", gz(contents.licences["THIRD-PARTY.txt"])),
        *(Entry(f"./usr/share/man/man1/{name}.gz", gz(page)) for name, page in contents.man.items()),
        *(Entry(path, contents.completions[shell]) for shell, path in COMPLETIONS.items()),
    ]
    control = (TEMPLATES / "control").read_text()
    for name, value in {
        "@VERSION@": project.version,
        "@ARCHITECTURE@": target.deb,
        "@SIZE@": str(sum(-(-len(file.data) // 1024) for file in files)),
        "@HOMEPAGE@": project.repository,
    }.items():
        control = control.replace(name, value)
    sums = "".join(f"{hashlib.md5(file.data).hexdigest()}  {file.name[2:]}\n" for file in sorted(files))
    return ar([
        Entry("debian-binary", b"2.0\n"),
        Entry("control.tar.xz", tar_xz([Entry("./control", control.encode()), Entry("./md5sums", sums.encode())])),
        Entry("data.tar.xz", tar_xz(files)),
    ])

"""What people download themselves: the archive, the installer, the Debian package."""
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import loopback
from person import fresh, told, try_out
from project import load
from targets import TARGETS

MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def here():
    """The targets that run on this machine."""
    cpu = MACHINES.get(platform.machine().lower())
    found = [target for target in TARGETS if target.os == sys.platform and target.cpu == cpu]
    # The static program runs on every Linux, the other one only where there is glibc.
    return [target for target in found if target.libc != "glibc" or platform.libc_ver()[0] == "glibc"]


def scenario(artefacts, report):
    release = artefacts / "release"
    project = load()
    for target in here():
        archive = release / target.archive(project.version)
        if archive.exists():
            with fresh() as person:
                shutil.unpack_archive(archive, person.home)
                top = person.home / archive.name.removesuffix(".zip").removesuffix(".tar.gz")
                try_out(person, [top / target.binary], report, archive.name)
                report.check((top / "man" / "gemtrail.1").exists(), f"{archive.name}: has man pages")
        else:
            report.skip(archive.name, "not built")
    if sys.platform == "win32":
        report.skip("installer", "it is for Unix")
    else:
        _installer(release, report)
    _debian(release, report, project)


def _installer(release, report):
    with loopback.directory(release) as server, fresh() as person:
        ran = person.run("sh", release / "install.sh", GEMTRAIL_DOWNLOAD_URL=server.url)
        report.check(ran.returncode == 0, "installer", told(ran))
        try_out(person, [person.home / ".local" / "bin" / "gemtrail"], report, "installer")
        left = {path.name for path in person.home.rglob("*.tar.gz")}
        report.check(not left, "installer: leaves no download behind", left)
    with tempfile.TemporaryDirectory() as changed:
        for path in release.glob("*.tar.gz"):
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            (pathlib.Path(changed) / path.name).write_bytes(data)
        with loopback.directory(changed) as server, fresh() as person:
            ran = person.run("sh", release / "install.sh", GEMTRAIL_DOWNLOAD_URL=server.url)
            refused = ran.returncode != 0 and "checksum" in ran.stderr
            report.check(refused, "installer: refuses an archive that was changed", told(ran))
            report.check(not any(person.home.rglob("gemtrail")), "installer: installs nothing then", told(ran))


def _debian(release, report, project):
    built = [target for target in here() if target.deb and (release / f"gemtrail_{project.version}_{target.deb}.deb").exists()]
    if not shutil.which("dpkg-deb") or not built:
        report.skip("Debian package", "no dpkg-deb here, or no package for this machine")
        return
    package = release / f"gemtrail_{project.version}_{built[0].deb}.deb"
    with fresh() as person:
        ran = person.run("dpkg-deb", "--extract", package, person.home / "root")
        report.check(ran.returncode == 0, "dpkg-deb --extract", told(ran))
        try_out(person, [person.home / "root" / "usr" / "bin" / "gemtrail"], report, package.name)
        told_by_package = subprocess.run(["dpkg-deb", "--field", package, "Version"], capture_output=True, text=True)
        report.check(told_by_package.stdout.strip() == project.version, f"{package.name}: version", told_by_package)

"""The first stages of the check: build for this machine, pack twice."""
import filecmp
import platform
import shutil
import subprocess

import cargo
import pack
from gates import gates


def build(report, tools, work, profile):
    """The directory of programs, and whether they are built the way a release is."""
    programs, available = work / "binaries", []
    glibc, static = (f"{platform.machine()}-unknown-linux-{libc}" for libc in ("gnu", "musl"))
    for triple in (glibc, static):
        try:
            cargo.prepare(triple, tools)
            available.append(triple)
        except cargo.Unavailable as reason:
            report.skip(f"build for {triple} and its gates", reason)
    for program in cargo.build(available, programs, tools, profile) if available else ():
        gates(report, program)
    if glibc not in available:
        cargo.build_plainly(glibc, programs, profile)
    return programs, glibc in available


def take(program, work):
    """The directory of programs, with one that was built before. Symbols would be packed several times over."""
    copy = work / "binaries" / f"{platform.machine()}-unknown-linux-gnu" / "gemtrail"
    shutil.rmtree(work / "binaries", ignore_errors=True)
    copy.parent.mkdir(parents=True)
    shutil.copy2(program, copy)
    subprocess.run(["strip", str(copy)], check=True)
    return work / "binaries"


def pack_twice(report, programs, work):
    """The directory of packages, which must be the same the second time."""
    first, second = work / "artefacts", work / "again"
    names = [path.relative_to(first) for path in pack.pack(programs, first)]
    others = [path.relative_to(second) for path in pack.pack(programs, second)]
    differing = [str(name) for name in names if name not in others or not filecmp.cmp(first / name, second / name, shallow=False)]
    report.check(names == others and not differing, f"{len(names)} files have the same bytes the second time", differing)
    return first

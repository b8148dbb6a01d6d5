"""Builds the program with Cargo.

For Linux zig is the C compiler and linker: with its headers the program asks for nothing newer than glibc 2.17, whatever
this machine has. Paths of this machine do not get into the program.
"""
import os
import pathlib
import shutil
import subprocess

from project import ROOT

# What `cargo zigbuild` appends to a target to name the oldest glibc it shall run on.
GLIBC = ".2.17"


class Unavailable(Exception):
    """Something that the build needs cannot be had here."""


def host():
    answer = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    return next(line.removeprefix("host: ") for line in answer.splitlines() if line.startswith("host: "))


def uses_zig(triple):
    return "apple" not in triple and "msvc" not in triple


def prepare(triple, tools):
    """Makes sure that a target can be built here, or tells why not."""
    if uses_zig(triple) and not tools.zigbuild:
        raise Unavailable("cargo-zigbuild and zig cannot be installed")
    if triple != host():
        _add_target(triple)


def build(triples, out, tools, profile):
    """Puts the programs into OUT/<triple>/ and gives their paths. All targets share one run, and so what runs on the host."""
    zig = uses_zig(triples[0])
    env = dict(os.environ, CARGO_ENCODED_RUSTFLAGS="\x1f".join(_remapped()))
    env.pop("RUSTFLAGS", None)
    if zig:
        env["PATH"] = os.pathsep.join([str(tools.programs), env["PATH"]])
    names = [f"{triple}{GLIBC}" if triple.endswith("-linux-gnu") else triple for triple in triples]
    _run("zigbuild" if zig else "build", names, profile, env)
    return [_place(triple, out, profile) for triple in triples]


def build_plainly(triple, out, profile):
    """For this machine only, with the C compiler it has."""
    _run("build", [triple], profile, None)
    return _place(triple, out, profile)


def own_paths():
    """Paths of this machine that have no business in a program."""
    return [path for path in {str(ROOT), str(_cargo_home()), str(pathlib.Path.home())} if len(path) > 1]


def _run(command, targets, profile, env):
    named = [f"--target={target}" for target in targets]
    subprocess.run(["cargo", command, "--locked", "--package=gemtrail", f"--profile={profile}", *named], cwd=ROOT, env=env, check=True)


def _place(triple, out, profile):
    name = "gemtrail.exe" if "windows" in triple else "gemtrail"
    # Cargo's profile `dev` writes to `debug`.
    built = _target_directory() / triple / {"dev": "debug"}.get(profile, profile) / name
    copy = pathlib.Path(out) / triple / name
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(built, copy)
    return copy


def _remapped():
    """Where dependencies were unpacked: the name even tells which registry they came from."""
    # Without a network everything is there already, or the build fails and says so.
    subprocess.run(["cargo", "fetch", "--locked", "--quiet"], cwd=ROOT, stderr=subprocess.DEVNULL)
    sources = _cargo_home() / "registry" / "src"
    return [f"--remap-path-prefix={path}=/crates" for path in sorted(sources.glob("*"))] + [f"--remap-path-prefix={ROOT}=/gemtrail"]


def _add_target(triple):
    try:
        ran = subprocess.run(["rustup", "target", "add", triple], capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as reason:
        raise Unavailable(f"rustup target add {triple}: {reason}") from None
    if ran.returncode != 0:
        last = (ran.stderr.strip().splitlines() or ["failed"])[-1]
        raise Unavailable(f"rustup target add {triple}: {last}")


def _cargo_home():
    return pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")


def _target_directory():
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")

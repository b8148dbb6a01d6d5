"""What a Linux program asks of the system it runs on, as `readelf` tells it."""
import re
import subprocess

NEWEST_GLIBC = (2, 17)


def _readelf(path, *options):
    return subprocess.run(["readelf", "--wide", *options, str(path)], check=True, capture_output=True, text=True).stdout


def glibc_versions(path):
    """The versions of glibc that the program names, as numbers, with the symbols that name them."""
    found = {}
    for symbol, version in re.findall(r"(\S+)@+GLIBC_([\d.]+)", _readelf(path, "--dyn-syms")):
        found.setdefault(_numbers(version), set()).add(symbol)
    # The loader goes by this list, whether or not a symbol is used.
    for version in re.findall(r"Name: GLIBC_([\d.]+)", _readelf(path, "--version-info")):
        found.setdefault(_numbers(version), set())
    return found


def too_new(path):
    """What needs a glibc newer than the one that is promised, in words; empty if nothing does."""
    return [
        f"GLIBC_{'.'.join(map(str, version))}: {', '.join(sorted(symbols)) or 'no symbol'}"
        for version, symbols in sorted(glibc_versions(path).items())
        if version > NEWEST_GLIBC
    ]


def libraries(path):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", _readelf(path, "--dynamic"))


def is_static(path):
    """Whether it needs neither a loader nor a library."""
    return "INTERP" not in _readelf(path, "--program-headers") and not libraries(path)


def _numbers(version):
    return tuple(int(part) for part in version.split("."))

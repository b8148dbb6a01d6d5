"""Archives whose bytes depend on nothing but their entries: fixed time, fixed owner, sorted names."""
import gzip
import io
import lzma
import tarfile
import zipfile
from dataclasses import dataclass

# The time npm gives to all files of a package. Zip files cannot tell times before 1980.
TIME = 499162500
ZIP_TIME = (1985, 10, 26, 8, 15, 0)


@dataclass(frozen=True, order=True)
class Entry:
    name: str
    data: bytes
    mode: int = 0o644


def gz(data, level=9):
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=out, compresslevel=level, mtime=0) as file:
        file.write(data)
    return out.getvalue()


def tar(entries, directories=False):
    """A tar file; with the directories of all entries if asked for, which dpkg wants."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as file:
        for name in sorted(_parents(entries)) if directories else ():
            file.addfile(_tar_info(f"{name}/", 0o755, tarfile.DIRTYPE))
        for entry in sorted(entries):
            info = _tar_info(entry.name, entry.mode, tarfile.REGTYPE)
            info.size = len(entry.data)
            file.addfile(info, io.BytesIO(entry.data))
    return out.getvalue()


def tar_gz(entries):
    # Programs hardly get smaller at higher levels, and it takes three times as long.
    return gz(tar(entries), 6)


def tar_xz(entries):
    return lzma.compress(tar(entries, directories=True), preset=6)


def zip_file(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as file:
        for entry in sorted(entries):
            info = zipfile.ZipInfo(entry.name, ZIP_TIME)
            info.create_system = 3  # Unix, so that the mode counts
            info.external_attr = (0o100000 | entry.mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, entry.data)
    return out.getvalue()


def ar(entries):
    """The outer archive of a Debian package, in the order given: dpkg wants `debian-binary` first."""
    out = bytearray(b"!<arch>\n")
    for entry in entries:
        out += f"{entry.name:<16}{TIME:<12}{0:<6}{0:<6}{0o100000 | entry.mode:<8o}{len(entry.data):<10}`\n".encode()
        out += entry.data + b"\n" * (len(entry.data) % 2)
    return bytes(out)


def _tar_info(name, mode, kind):
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.mtime = kind, mode, TIME
    info.uname = info.gname = "root"
    return info


def _parents(entries):
    found = set()
    for entry in entries:
        parts = entry.name.split("/")[:-1]
        found.update("/".join(parts[: end + 1]) for end in range(len(parts)))
    return found - {"."} | {"."}

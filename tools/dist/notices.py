"""The licences of everything that is compiled into the program, collected from the sources of the packages."""
import json
import pathlib
import re
import subprocess

LICENCE_FILE = re.compile(r"(licen[cs]e|copying|copyright|unlicense|notice)", re.IGNORECASE)
HEAD = """\
gemtrail is built from the packages below. Each line gives the licence, the source and the numbers of the texts that come
with the package. SQLite, which is compiled in, is in the public domain. The Rust standard library is MIT OR Apache-2.0
(https://github.com/rust-lang/rust). Static builds contain musl, which is MIT (https://musl.libc.org).
"""


def packages(root):
    """All packages that are linked into the program, on any platform, with their directories."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    metadata = json.loads(subprocess.run(command, cwd=root, check=True, capture_output=True).stdout)
    known = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [package["id"] for package in metadata["packages"] if package["name"] == "gemtrail"]
    reached = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if linked and dependency["pkg"] not in reached:
                reached.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    # Packages without a source are our own.
    return sorted((known[id] for id in reached if known[id]["source"]), key=lambda it: (it["name"], it["version"]))


def texts_of(package):
    directory = pathlib.Path(package["manifest_path"]).parent
    # Bundled C libraries have their licence one level down.
    candidates = sorted([*directory.glob("*"), *directory.glob("zstd/*")])
    for path in candidates:
        if path.is_file() and LICENCE_FILE.match(path.name) and path.suffix != ".rs":
            yield "\n".join(line.rstrip() for line in path.read_text(errors="replace").strip().splitlines())


def collect(root):
    numbers, lines = {}, []
    for package in packages(root):
        # A dict and not a set: the order counts.
        texts = dict.fromkeys(texts_of(package))
        found = [numbers.setdefault(text, len(numbers) + 1) for text in texts]
        where = package["repository"] or package["homepage"] or f"https://crates.io/crates/{package['name']}"
        listed = ", ".join(map(str, found)) or "none included"
        lines.append(f"{package['name']} {package['version']}: {package['license']}; {where}; texts: {listed}")
    parts = [HEAD, "\n".join(lines)]
    parts += [f"{'-' * 24} text {number} {'-' * 24}\n\n{text}" for text, number in numbers.items()]
    return "\n\n".join(parts) + "\n"

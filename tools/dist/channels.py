"""What points at the files of a release: the installer, the Homebrew formula, the scoop manifest.

All three carry the checksums of the files they fetch, so that none trusts the place it downloads from.
"""
import json

from project import ROOT

PACKAGING = ROOT / "packaging"


def installer(project, archives):
    """`archives`: by target, the name and the SHA-256 of its archive."""
    cases = [
        f"    {target.triple}) file={name} sum={digest} ;;"
        for target, (name, digest) in archives.items()
        if not target.windows
    ]
    script = (PACKAGING / "install.sh").read_text()
    values = {"@VERSION@": project.version, "@DOWNLOADS@": project.downloads, "    # @ARCHIVES@": "\n".join(cases)}
    return _filled(script, values).encode()


def formula(project, archives):
    blocks = []
    for system, os in (("macos", "darwin"), ("linux", "linux")):
        # Homebrew brings its own glibc where the system's is too old.
        found = {target.cpu: files for target, files in archives.items() if target.os == os and target.libc != "musl"}
        inner = [_formula_block(project, name, *found[cpu]) for name, cpu in (("arm", "arm64"), ("intel", "x64")) if cpu in found]
        if inner:
            blocks.append(f"  on_{system} do\n" + "\n".join(inner) + "\n  end")
    values = {
        "@VERSION@": project.version,
        "@HOMEPAGE@": project.repository,
        "  # @ARCHIVES@": "\n\n".join(blocks),
    }
    return _filled((PACKAGING / "homebrew.rb").read_text(), values).encode()


def scoop(project, archives):
    names = {"x64": "64bit", "arm64": "arm64"}
    latest = f"{project.repository}/releases/download/v$version"
    built = {names[target.cpu]: target for target in archives if target.windows}
    manifest = {
        "version": project.version,
        "description": project.description,
        "homepage": project.repository,
        "license": project.licence.replace(" OR ", "|"),
        "architecture": {
            name: {
                "url": f"{project.downloads}/{archives[target][0]}",
                "hash": archives[target][1],
                "extract_dir": f"gemtrail-{project.version}-{target.triple}",
            }
            for name, target in built.items()
        },
        "bin": "gemtrail.exe",
        "checkver": "github",
        "autoupdate": {
            "architecture": {
                name: {"url": f"{latest}/{target.archive('$version')}", "extract_dir": f"gemtrail-$version-{target.triple}"}
                for name, target in built.items()
            },
            "hash": {"url": "$baseurl/SHA256SUMS"},
        },
    }
    return (json.dumps(manifest, indent=4) + "\n").encode()


def _formula_block(project, cpu, name, digest):
    return f'    on_{cpu} do\n      url "{project.downloads}/{name}"\n      sha256 "{digest}"\n    end'


def _filled(text, values):
    for name, value in values.items():
        if name not in text:
            raise ValueError(f"the template has no {name.strip()}")
        text = text.replace(name, value)
    return text

"""What is known about the project, read from Cargo.toml: the only place where the version is written."""
import pathlib
import tomllib
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Project:
    version: str
    description: str
    licence: str
    repository: str
    keywords: tuple
    authors: str
    binstall: dict

    @property
    def downloads(self):
        """The address below which the files of this release are."""
        return f"{self.repository}/releases/download/v{self.version}"


def load(root=ROOT):
    workspace = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]
    package = tomllib.loads((root / "crates" / "gemtrail" / "Cargo.toml").read_text())["package"]
    return Project(
        version=workspace["version"],
        description=package["description"],
        licence=workspace["license"],
        repository=workspace["repository"],
        keywords=tuple(workspace["keywords"]),
        authors=", ".join(workspace["authors"]),
        binstall=package["metadata"]["binstall"],
    )

"""The platforms a release is built for, and what each packaging format calls them."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    triple: str
    # npm's names: `process.platform`, `process.arch`, and the C library where there are two.
    os: str
    cpu: str
    libc: str | None
    # The platform tag of the wheel.
    wheel: str
    # Debian's name of the architecture; only one of the two C libraries goes into the package.
    deb: str | None = None

    @property
    def windows(self):
        return self.os == "win32"

    @property
    def binary(self):
        return "gemtrail.exe" if self.windows else "gemtrail"

    @property
    def npm(self):
        """The name of the npm package, which the launcher derives from `os`, `cpu` and `libc` as well."""
        libc = {"glibc": "-gnu", "musl": "-musl", None: ""}[self.libc]
        return f"@gemtrail/{self.os}-{self.cpu}{libc}"

    def archive(self, version):
        return f"gemtrail-{version}-{self.triple}.{'zip' if self.windows else 'tar.gz'}"


TARGETS = (
    Target("x86_64-unknown-linux-gnu", "linux", "x64", "glibc", "manylinux_2_17_x86_64.manylinux2014_x86_64", "amd64"),
    Target("x86_64-unknown-linux-musl", "linux", "x64", "musl", "musllinux_1_2_x86_64"),
    Target("aarch64-unknown-linux-gnu", "linux", "arm64", "glibc", "manylinux_2_17_aarch64.manylinux2014_aarch64", "arm64"),
    Target("aarch64-unknown-linux-musl", "linux", "arm64", "musl", "musllinux_1_2_aarch64"),
    Target("x86_64-apple-darwin", "darwin", "x64", None, "macosx_10_12_x86_64"),
    Target("aarch64-apple-darwin", "darwin", "arm64", None, "macosx_11_0_arm64"),
    Target("x86_64-pc-windows-msvc", "win32", "x64", None, "win_amd64"),
    Target("aarch64-pc-windows-msvc", "win32", "arm64", None, "win_arm64"),
)

BY_TRIPLE = {target.triple: target for target in TARGETS}

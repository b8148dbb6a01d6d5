"""`npx gemtrail` and `npm install --global gemtrail`, from a registry on loopback."""
import shutil

import loopback
from person import fresh, told, try_out


def scenario(artefacts, report):
    if not shutil.which("npm"):
        report.skip("npm", "npm is not installed")
        return
    with loopback.registry(artefacts / "npm") as registry:
        settings = {"npm_config_registry": registry.url, "npm_config_update_notifier": "false"}
        with fresh() as person:
            try_out(person, ["npx", "--yes", "gemtrail"], report, "npx gemtrail", **settings)
            fetched = {path for path in registry.requests if path.startswith("-/")}
            report.check(len(fetched) == 2, "npx downloads the launcher and one platform", fetched)
        with fresh() as person:
            installed = _install(person, report, "npm install --global", settings)
            try_out(person, [installed], report, "npm install --global")
        with fresh() as person:
            installed = _install(person, report, "npm install --global --omit=optional", settings, "--omit=optional")
            # Some versions of npm ignore the option in global installs.
            for ignored in person.home.rglob("node_modules/@gemtrail"):
                print("     npm installed the optional dependency anyway; it is removed for this check")
                shutil.rmtree(ignored)
            _refuses(person, installed, report, "npm install --global --omit=optional")
        with fresh() as person:
            ran = person.run("npm", "install", "--omit=optional", "gemtrail", **settings)
            report.check(ran.returncode == 0, "npm install --omit=optional", told(ran))
            _refuses(person, person.home / "node_modules" / ".bin" / "gemtrail", report, "npm install --omit=optional")


def _refuses(person, program, report, how):
    """Without the platform's package, the launcher says which one is missing."""
    ran = person.run(program, "list")
    named = "@gemtrail/" in ran.stderr and "--omit=optional" in ran.stderr
    report.check(ran.returncode == 2 and named, f"{how}: the launcher says what is missing", told(ran))


def _install(person, report, how, settings, *options):
    prefix = person.home / "prefix"
    ran = person.run("npm", "install", "--global", "--prefix", prefix, *options, "gemtrail", **settings)
    report.check(ran.returncode == 0, how, told(ran))
    # npm puts programs into the prefix itself on Windows.
    return next((path for path in (prefix / "bin" / "gemtrail", prefix / "gemtrail.cmd") if path.exists()), "gemtrail")

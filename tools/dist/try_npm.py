"""`npx gemtrail`, `npm install --global gemtrail` and `require("gemtrail")`, from a registry on loopback."""
import shutil

import loopback
import programs
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


def module(artefacts, report, compiler):
    """`import` and `require` of the package, where nothing else is installed."""
    if not shutil.which("npm"):
        return
    with loopback.registry(artefacts / "npm") as registry, fresh() as person:
        ran = person.run("npm", "install", "gemtrail", npm_config_registry=registry.url)
        report.check(ran.returncode == 0, "npm install", told(ran))

        def written(name, text):
            (person.home / name).write_text(text)
            return person.home / name

        ran = person.run("node", written("program.mjs", programs.program("js")), **programs.PLACE)
        programs.check_output(ran, report, "import of the npm package")
        ran = person.run("node", written("required.cjs", UNKNOWN_SESSION), **programs.PLACE)
        good = ran.stdout.startswith("not-found gemtrail list")
        report.check(good, "require of the npm package: errors have a code and a hint", told(ran))
        if compiler:
            strictly = ["node", compiler, "--strict", "--noEmit", "--module", "nodenext", "--target", "es2022"]
            check = lambda text: person.run(*strictly, written("program.mts", text))
            programs.check_types(check, report, "tsc --strict", "js")
        else:
            report.skip("tsc --strict", "TypeScript cannot be installed")


UNKNOWN_SESSION = """
const assert = require("node:assert");
const { GemtrailError, list, read, search, session, stats } = require("gemtrail");
(async () => {
  for await (const row of list({ project: "no such project" })) assert.fail(row);
  for await (const hit of search("the")) {
    assert.equal(hit.schema, "gemtrail.search/1");
    break;
  }
  assert((await session("latest")).messages.length > 0 && (await stats()).sessions > 5);
  try {
    for await (const message of read("no-such-session")) assert.fail(message);
  } catch (error) {
    if (error instanceof GemtrailError) console.log(error.code, error.hint);
  }
})();
"""


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

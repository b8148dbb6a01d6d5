// Checks the web viewer in a real browser: node tests/browser/serve.mjs
//
// Needs a built program (GEMTRAIL, else target/debug/gemtrail) and Chromium. With AXE=path/to/axe.min.js every page is
// also checked for accessibility; tests/browser/axe fetches it from npm. LARGE=1 adds a session of 20,000 messages, LARGE=only
// leaves out the rest.

import { spawn } from "node:child_process";
import { appendFileSync, cpSync, createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Chromium } from "./chromium.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const program = process.env.GEMTRAIL ?? join(root, "target/debug/gemtrail");
const axe = process.env.AXE && readFileSync(process.env.AXE, "utf8");
const work = mkdtempSync(join(tmpdir(), "gemtrail-serve-"));

let failures = 0;
const check = (holds, what) => {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  if (!holds) failures += 1;
};
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (condition, ms = 15000) => {
  for (const end = Date.now() + ms; Date.now() < end; await pause(100)) if (await condition()) return true;
  return false;
};

// A running viewer of a home.
class Viewer {
  static async of(home, port = "0") {
    const viewer = new Viewer();
    viewer.child = spawn(program, ["--home", home, "--utc", "serve", "--no-open", "--port", port, "--json"],
      { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, GEMTRAIL_DATA_DIR: join(work, "data") } });
    const line = await new Promise((resolve, reject) => {
      let text = "";
      viewer.child.on("error", reject);
      viewer.child.stdout.on("data", (data) => { text += data; if (text.includes("\n")) resolve(text); });
    });
    viewer.url = JSON.parse(line).url;
    viewer.origin = new URL(viewer.url).origin;
    return viewer;
  }

  memory() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024);
  }

  end() { this.child.kill("SIGTERM"); }
}

// Journals.
const HEADER = { projectHash: "shop", startTime: "2026-11-16T10:00:00.000Z", lastUpdated: "2026-11-16T10:59:00.000Z", kind: "main" };
const time = (at) => new Date(Date.UTC(2026, 10, 16, 10) + at * 1000).toISOString();
const human = (at, text) => ({ id: `u${at}`, timestamp: time(at), type: "user", content: [{ text }] });
const model = (at, text, more = {}) => ({ id: `g${at}`, timestamp: time(at), type: "gemini", model: "gemini-3-pro-preview", content: text,
  tokens: { input: 100, output: 10, cached: 50, thoughts: 5, tool: 0, total: 115 }, ...more });
const call = (id, name, args, output) => ({ id, name, args, status: "success", timestamp: time(0),
  result: [{ functionResponse: { id, name, response: { output } } }], resultDisplay: output });
const lines = (records) => records.map((record) => `${JSON.stringify(record)}\n`).join("");
const journal = (home, id, records) => {
  const file = join(home, ".gemini/tmp/shop/chats", `session-2026-11-16T10-00-${id.slice(0, 8)}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines([{ sessionId: id, ...HEADER }, ...records]));
  return file;
};
const ID = (letter) => `${letter.repeat(8)}-1111-4111-8111-111111111111`;

const isClean = (tab, viewer, what) => {
  check(tab.errors.length === 0, `${what}: no error, nothing blocked ${tab.errors.slice(0, 2)}`);
  const foreign = tab.requests.filter((url) => !url.startsWith(viewer.origin) && !/^(data|about|blob):/.test(url));
  check(foreign.length === 0, `${what}: no foreign request ${foreign.slice(0, 2)}`);
};

const isAccessible = async (tab, what) => {
  if (!axe) return;
  await tab.evaluate(axe);
  const found = await tab.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations
    .filter(({ impact }) => impact !== "minor")
    .map(({ id, impact, nodes }) => impact + " " + id + " " + nodes.length + " " + nodes[0].target + " " + nodes[0].html.slice(0, 120)))`);
  check(found.length === 0, `${what}: accessible ${found.join(" | ")}`);
};

const friendly = async (chromium) => {
  const home = join(work, "friendly");
  cpSync(join(root, "examples/home"), home, { recursive: true });
  const long = Array.from({ length: 3000 }, (_, at) => `line ${at} of the output`).join("\n");
  const file = journal(home, ID("a"), [
    human(1, "The first prompt"), model(2, "An **answer** with `code`\n\n```rust\nfn main() {}\n```\n\n|a|b|\n|-|-|\n|1|2|"),
    human(3, "Read everything"), model(4, "", { toolCalls: [call("c1", "run_shell_command", { command: "cat all" }, long)] }),
    human(5, "This was a mistake"), model(6, "So it was"), { $rewindTo: "u5" }, human(7, "Better now"), model(8, "Yes"),
  ]);
  const viewer = await Viewer.of(home);
  const at = (path) => viewer.origin + path;
  const tab = await chromium.page();
  await tab.open(viewer.url);
  check(await tab.evaluate("location.href") === at("/"), "the token leaves the address");
  check(await tab.evaluate("document.cookie") === "", "scripts cannot read the cookie");
  const entries = (await tab.send("Page.getNavigationHistory")).entries.map(({ url }) => url);
  check(!entries.some((url) => url.includes("token")), "the token is not in the history");
  check(await tab.evaluate(`document.querySelectorAll(".calendar a.level").length`) > 0, "the calendar has links");

  await tab.open(at("/sessions"));
  const rows = `document.querySelectorAll("#list th.what").length`;
  const all = await tab.evaluate(rows);
  await tab.evaluate(`const box = document.querySelector("[name=q][data-key]"); box.value = "first prompt"; box.dispatchEvent(new Event("input", { bubbles: true }))`);
  check(await until(async () => await tab.evaluate(rows) === 1) && all > 5, "the list is filtered while one types");
  check(await tab.evaluate("location.search") === "?q=first+prompt", "the filter is in the address");
  await tab.open(at("/sessions?sort=tokens"));
  check(await tab.evaluate(`document.querySelector("[aria-sort=descending]").textContent`) === "Tokens", "the list is sorted");
  await tab.evaluate(`document.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }))`);
  await tab.evaluate(`dispatchEvent(new KeyboardEvent("keydown", { key: "j" }))`);
  check(await tab.evaluate(`document.activeElement.closest("tr") !== null`), "keys move through the list");

  await tab.open(at("/search?q=prompt"));
  await tab.evaluate(`document.querySelector(".hit details").open = true`);
  check(await until(() => tab.evaluate(`document.querySelector(".hit details .message") !== null`)), "a hit opens in place");

  // While typing, with an unfinished word; then to the session, where the words are marked.
  await tab.open(at("/search"));
  const typed = (words) => tab.evaluate(`{ const box = document.querySelector("form.query input"); box.value = ${JSON.stringify(words)};
    box.dispatchEvent(new Event("input", { bubbles: true })); }`);
  await typed("mist");
  check(await until(() => tab.evaluate(`document.querySelector("#found mark")?.textContent === "mistake"`)), "hits appear while one types");
  await typed("mistq");
  await pause(400);
  check(await tab.evaluate(`document.querySelector("#found mark")?.textContent === "mistake"`), "in the middle of a word they stay");
  check(await until(() => tab.evaluate(`document.querySelector("#found .nothing") !== null`)), "then the page says that there is nothing");
  await typed("mistaken answering");
  check(await until(() => tab.evaluate(`document.querySelector("#found .how") !== null`)), "the page says how it found something");
  await typed("answer");
  const title = `document.querySelector("#found .source a[href*='aaaaaaaa']")?.href`;
  check(await until(() => tab.evaluate(title).then((to) => to?.includes("find=answer#m-"))), "the title leads to the first hit");
  await tab.open(await tab.evaluate(title));
  const counter = `document.querySelector(".finder output").textContent`;
  check(await until(() => tab.evaluate(`CSS.highlights.get("here")?.size === 1`)), "the words are marked on arrival");
  check(/^1 of \d+$/.test(await tab.evaluate(counter)), "a counter says which one it is");
  await tab.evaluate(`{ const box = document.querySelector(".finder input"); box.value = "line 29"; box.dispatchEvent(new Event("input", { bubbles: true })); }`);
  check(await until(() => tab.evaluate(counter).then((text) => text.startsWith("111 "))), "what is not on the page yet is found as well");
  await tab.evaluate(`dispatchEvent(new KeyboardEvent("keydown", { key: "n" }))`);
  check(await tab.evaluate(counter) === "1 of 111", "n goes on");
  await tab.evaluate(`dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }))`);
  check(await tab.evaluate(`CSS.highlights.get("found").size === 0 && document.querySelector(".finder").hidden`), "Escape clears the marks");

  const session = await tab.evaluate(`fetch("/sessions/aaaaaaaa").then((answer) => answer.url)`);
  await tab.open(session);
  const output = `document.querySelector(".call .output, .call .terminal")?.textContent.length ?? 0`;
  check(await tab.evaluate(output) === 0, "long output is not in the page");
  check(await tab.evaluate(`document.querySelector(".call .elsewhere").textContent.includes("kB")`), "the page says how long it is");
  await tab.evaluate(`document.querySelector(".call").open = true`);
  check(await until(async () => await tab.evaluate(output) > 60000), "it is fetched when it is unfolded, whole");
  check(await tab.evaluate(`!document.querySelector(".branch").open && document.querySelector(".branch > summary").textContent.includes("rewound")`),
    "what was rewound is a folded branch");
  for (const anchor of ["m-g2", "m-u5", "m-g4-call-0"]) {
    const cold = await chromium.page();
    const start = Date.now();
    await cold.open(`${session}#${anchor}`);
    const seen = await until(() => cold.evaluate(`(() => { const box = document.getElementById("${anchor}")?.getBoundingClientRect();
      return box && box.height > 0 && box.top >= -5 && box.top < innerHeight; })()`), 5000);
    check(seen && Date.now() - start < 5000, `#${anchor} opens in place from a cold tab (${Date.now() - start} ms)`);
    await cold.close();
  }
  const download = await tab.evaluate(`fetch(document.querySelector(".downloads a").href).then(async (answer) =>
    [answer.headers.get("content-disposition"), (await answer.text()).length])`);
  check(download[0].startsWith("attachment") && download[1] > 100, "a session is downloaded");

  // Live: followed at the end, told about elsewhere.
  await tab.open(session);
  await tab.evaluate("scrollTo(0, 0)");
  appendFileSync(file, lines([human(9, "A new prompt")]));
  check(await until(() => tab.evaluate(`document.getElementById("m-u9") !== null`)), "a new message appears");
  const yanked = await tab.evaluate("scrollY");
  check(yanked === 0, "the reader is not moved");
  check(/^1 new message/.test(await tab.evaluate(`document.querySelector("#live button:not([hidden])")?.textContent ?? ""`)), "the page says what is new");
  await tab.evaluate(`document.querySelector("#live button").click()`);
  await pause(200);
  appendFileSync(file, lines([model(10, "A new answer ".repeat(400))]));
  check(await until(() => tab.evaluate(`document.getElementById("m-g10") !== null`)), "another one appears");
  check(await until(() => tab.evaluate("innerHeight + scrollY >= document.body.scrollHeight - 130"), 3000), "at the end the page follows");
  check(await tab.evaluate(`document.querySelectorAll("#m-u9").length`) === 1, "no message is there twice");

  const tabs = [];
  for (let count = 0; count < 8; count += 1) {
    const other = await chromium.page();
    await other.open(session);
    tabs.push(other);
  }
  await pause(3000);
  const start = Date.now();
  await Promise.all(tabs.map((other) => other.open(at("/projects"))));
  check(Date.now() - start < 10000, `eight tabs all answer (${Date.now() - start} ms)`);
  for (const other of tabs) await other.close();

  // Anything by a few letters.
  await tab.open(at("/"));
  await tab.evaluate(`dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }))`);
  await tab.evaluate(`{ const box = document.querySelector("dialog.jump input"); box.value = "first prompt"; box.dispatchEvent(new Event("input", { bubbles: true })); }`);
  check(await until(() => tab.evaluate(`document.querySelector("dialog.jump a.chosen .name")?.textContent === "The first prompt"`)), "Ctrl+K finds a session");
  await tab.evaluate(`document.querySelector("dialog.jump input").focus();
    document.querySelector("dialog.jump input").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }))`);
  check(await until(() => tab.evaluate("location.href").then((href) => href === session).catch(() => false)), "Enter goes there");
  const changed = await tab.evaluate(`fetch("/files").then((answer) => answer.text()).then((text) => /href="([^"]+[/]files)"/.exec(text)[1])`);
  await tab.open(at(changed));
  check(await tab.evaluate(`document.querySelectorAll(".changes .diff .from a").length`) > 0, "each line says which prompt wrote it");
  const history = await tab.evaluate(`document.querySelector(".changes .handles a[href^='/files']").getAttribute("href")`);

  const pages = { overview: "/", sessions: "/sessions", search: "/search?q=prompt", jump: "/jump?q=a", files: "/files", changed, history, session: new URL(session).pathname, projects: "/projects",
    doctor: "/doctor", message: `${new URL(session).pathname}/messages/m-g4`, missing: "/no-such-page" };
  for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [375, "light"], [375, "dark"]]) {
    const page = await chromium.page({ width, height: 800, scheme });
    for (const [name, path] of Object.entries(pages)) {
      await page.open(at(path));
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      check(wide <= width, `${name}: nothing is wider than ${width} pixels (${wide})`);
      await page.evaluate(`for (const fold of document.querySelectorAll("main details")) fold.open = true; new Promise((done) => setTimeout(done, 300))`);
      await isAccessible(page, `${name} ${width} ${scheme}`);
    }
    // Browsers report a missing page as an error.
    page.errors = page.errors.filter((error) => !error.includes("404"));
    isClean(page, viewer, `${width} ${scheme}`);
    await page.close();
  }
  isClean(tab, viewer, "reading");
  await tab.close();

  const silent = await chromium.page();
  await silent.send("Emulation.setScriptExecutionDisabled", { value: true });
  for (const [name, path] of Object.entries(pages)) await silent.open(at(path)).then(async () => {
    const words = await silent.evaluate("document.querySelector('main').innerText.length");
    check(words > 30, `${name} is readable without script`);
  });
  await silent.open(session);
  check(await silent.evaluate(`document.querySelector(".call .elsewhere a").getAttribute("href").includes("/messages/")`), "long parts have a link without script");
  await silent.close();
  viewer.end();

  // After a restart the pages that are open can still be used, with the old cookie and no other way in.
  const port = new URL(viewer.origin).port;
  await pause(500);
  const again = await Viewer.of(home, port);
  const back = await chromium.page();
  await back.open(at("/projects"));
  check(await back.evaluate(`document.querySelector("h1").textContent`) === "Projects", "a restart keeps open pages usable");
  check(await fetch(at("/projects")).then((answer) => answer.status) === 401, "without the cookie nobody comes in");
  check((statSync(join(work, "data/serve.key")).mode & 0o777) === 0o600, "nobody else can read the key");
  await back.close();
  again.end();
};

const hostile = async (chromium) => {
  const visits = [];
  const canary = createServer((request, response) => { visits.push(request.url); response.end(); });
  await new Promise((resolve) => canary.listen(0, "127.0.0.1", resolve));
  const evil = `http://127.0.0.1:${canary.address().port}`;
  const pwn = "window.pwned=1;document.title='PWNED'";
  const payload = [`<script>${pwn}</script>`, `<img src="${evil}/img" onerror="${pwn}">`, `<svg onload="${pwn}">`, `"><script>${pwn}</script>`,
    `' onmouseover='${pwn}' autofocus onfocus='${pwn}`, `</title></details></main></table><script>${pwn}</script>`, `<base href="${evil}/">`,
    `<meta http-equiv=refresh content="0;url=${evil}/refresh">`, `<form action="${evil}/form"><input autofocus onfocus="${pwn}">`,
    `![pixel](${evil}/markdown)`, `[trap](javascript:${encodeURIComponent(pwn)})`, `<link rel=stylesheet href="${evil}/css">`, "\u202E\u2066", "\x1b]0;PWNED\x07"].join(" ");
  const home = join(work, "hostile");
  journal(home, ID("b"), [human(1, payload), model(2, payload, { thoughts: [{ subject: payload, description: payload, timestamp: time(2) }],
    toolCalls: [call("c1", payload, { [payload]: payload }, payload), call("c2", "run_shell_command", { command: payload }, payload.repeat(40))] }),
  { id: "i1", timestamp: time(3), type: "error", content: payload }, { id: payload, timestamp: payload, type: payload, content: payload }]);
  writeFileSync(join(home, ".gemini/tmp/shop/logs.json"), JSON.stringify([{ sessionId: ID("c"), messageId: 0, type: "user", message: payload, timestamp: time(9) }]));
  writeFileSync(join(home, ".gemini/projects.json"), JSON.stringify({ projects: { [`/tmp/${payload}`]: "shop" } }));
  const viewer = await Viewer.of(home);
  const tab = await chromium.page();
  await tab.open(viewer.url);
  const session = await tab.evaluate(`fetch("/sessions/bbbbbbbb").then((answer) => new URL(answer.url).pathname)`);
  const query = encodeURIComponent(payload);
  for (const path of ["/", "/sessions", "/sessions?kind=all", "/projects", "/doctor", "/search?q=PWNED", session, `${session}/messages/m-g2`, `/search?q=${query.slice(0, 900)}`,
    `/sessions?q=${query.slice(0, 900)}&project=${query.slice(0, 900)}`, `/${query.slice(0, 900)}`]) {
    await tab.open(viewer.origin + path);
    await tab.evaluate(`for (const fold of document.querySelectorAll("details")) fold.open = true;
      for (const element of document.querySelectorAll("main *")) { element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true })); element.focus?.(); }
      new Promise((done) => setTimeout(done, 500))`);
    check(await tab.evaluate("window.pwned") === undefined, `no script of the transcript ran on ${path.slice(0, 40)}`);
    check(!(await tab.evaluate("document.title")).startsWith("PWNED"), "the title was not taken over");
    check(await tab.evaluate(`document.querySelectorAll("script, iframe, object, embed, base, meta[http-equiv], main link:not([href^='/sessions/'])").length`) === 1, "one script: the page's own");
    check(await tab.evaluate(`![...document.querySelectorAll("*")].some((element) =>
      [...element.attributes].some(({ name }) => name.startsWith("on") || name === "style"))`), "no handlers, no inline styles");
  }
  tab.errors = tab.errors.filter((error) => !error.includes("404"));
  isClean(tab, viewer, "hostile");
  check(visits.length === 0, `nobody called ${visits.slice(0, 3)}`);
  await tab.close();
  viewer.end();
  canary.close();
};

const large = async (chromium) => {
  const home = join(work, "large");
  const file = journal(home, ID("d"), []);
  const out = createWriteStream(file, { flags: "a" });
  const output = Array.from({ length: 120 }, (_, at) => `${at}: some output of a tool that wrote a line of ordinary length`).join("\n");
  for (let at = 1; at <= 20000; at += 1) {
    const record = at % 4 === 1 ? human(at, `Prompt number ${at}: please look at part ${at} of the program`)
      : model(at, `Answer number ${at}. ${"It has a few ordinary sentences in it. ".repeat(6)}`,
        at % 4 === 2 ? { toolCalls: [call(`c${at}`, "run_shell_command", { command: `make part-${at}` }, output)] } : {});
    if (!out.write(`${JSON.stringify(record)}\n`)) await new Promise((done) => out.once("drain", done));
  }
  await new Promise((done) => out.end(done));
  const viewer = await Viewer.of(home);
  const tab = await chromium.page();
  await tab.open(viewer.url);
  const session = await tab.evaluate(`fetch("/sessions/dddddddd", { method: "HEAD" }).then((answer) => answer.url)`);
  const before = viewer.memory();
  const timing = await tab.evaluate(`(async () => { const start = performance.now(); const answer = await fetch(${JSON.stringify(session)});
    const reader = answer.body.getReader(); await reader.read(); const first = performance.now() - start; let bytes = 0;
    for (;;) { const { done, value } = await reader.read(); if (done) break; bytes += value.length; }
    return { first: Math.round(first), whole: Math.round(performance.now() - start), bytes }; })()`);
  console.log(`     20,000 messages: first bytes ${timing.first} ms, whole ${timing.whole} ms, ${(timing.bytes / 1e6).toFixed(1)} MB; memory ${before} → ${viewer.memory()} MB`);
  const start = Date.now();
  await tab.open(session);
  const paint = await tab.evaluate(`performance.getEntriesByName("first-contentful-paint")[0]?.startTime`);
  console.log(`     first paint ${Math.round(paint)} ms, loaded ${Date.now() - start} ms`);
  check(await tab.evaluate(`document.querySelectorAll("[id^=m-]").length`) >= 20000, "every message is in the document");
  const frames = await tab.evaluate(`(async () => { const frames = []; let last = performance.now();
    for (let at = 0; at < 200; at += 1) { scrollBy(0, 700); await new Promise(requestAnimationFrame); const now = performance.now(); frames.push(now - last); last = now; }
    frames.sort((a, b) => b - a); return frames.slice(0, 3).map(Math.round); })()`);
  console.log(`     slowest frames while scrolling: ${frames.join(", ")} ms`);
  const cold = await chromium.page();
  const opened = Date.now();
  await cold.open(`${session}#m-g19999`);
  check(await until(() => cold.evaluate(`(() => { const top = document.getElementById("m-g19999")?.getBoundingClientRect().top;
    return top >= -50 && top < innerHeight; })()`)), `the last message opens from a cold tab (${Date.now() - opened} ms)`);
  console.log(`     memory ${viewer.memory()} MB`);
  isClean(tab, viewer, "20,000 messages");
  await cold.close();
  await tab.close();
  viewer.end();
};

const chromium = new Chromium();
try {
  if (process.env.LARGE !== "only") {
    await friendly(chromium);
    await hostile(chromium);
  }
  if (process.env.LARGE) await large(chromium);
} finally {
  await chromium.close();
  rmSync(work, { recursive: true, force: true });
}
console.log(failures === 0 ? "all good" : `${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;

// Checks the HTML export in a real browser: node tests/browser/check.mjs
//
// 1. A hostile session: no script runs, no request leaves, nothing leaves its place.
// 2. A friendly one: search, theme, folding and links work, and nothing is wider than a phone.
//
// RENDER may name another command that turns a session document into a page:
//   RENDER="gemtrail convert --to html" node tests/browser/check.mjs

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Chromium } from "./chromium.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const demo = JSON.parse(readFileSync(join(root, "crates/gemtrail-export/tests/fixtures/demo.json"), "utf8"));
const render = (process.env.RENDER ?? "cargo run --quiet -p gemtrail-export --example render -- html").split(" ");
const work = mkdtempSync(join(tmpdir(), "gemtrail-check-"));

let failures = 0;
const check = (holds, what) => {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  if (!holds) failures += 1;
};

const page = (name, document) => {
  const source = join(work, `${name}.json`);
  writeFileSync(source, JSON.stringify(document));
  const { status, stdout, stderr } = spawnSync(render[0], [...render.slice(1), source],
    { cwd: root, maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`${render.join(" ")} failed:\n${stderr}`);
  const target = join(work, `${name}.html`);
  writeFileSync(target, stdout);
  return pathToFileURL(target).href;
};

// Puts the payload at the end of every line of every text. Only what gemtrail itself chooses stays.
const FIXED = new Set(["schema", "role", "state", "kind", "superseded_by", "path_source"]);
const poisoned = (value, payload) => {
  if (typeof value === "string") return value.replaceAll("\n", `${payload}\n`) + payload;
  if (Array.isArray(value)) return value.map((item) => poisoned(item, payload));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value)
    .map(([name, member]) => [name, FIXED.has(name) ? member : poisoned(member, payload)]));
};

const hostile = async (chromium) => {
  const visits = [];
  const canary = createServer((request, response) => { visits.push(request.url); response.end(); });
  await new Promise((resolve) => canary.listen(0, "127.0.0.1", resolve));
  const evil = `http://127.0.0.1:${canary.address().port}`;
  const pwn = "window.pwned=1;document.title='PWNED'";
  const payload = [
    `<script>${pwn}</script>`, `<img src=x onerror="${pwn}">`, `<img src="${evil}/img">`, `<svg onload="${pwn}">`,
    `<svg><script>${pwn}</script></svg>`, `<iframe src="${evil}/frame" srcdoc="<script>parent.pwned=1</script>"></iframe>`,
    `</title></style></script></textarea></pre></details></main><script>${pwn}</script>`,
    `"><script>${pwn}</script>`, `' onmouseover='${pwn}' autofocus onfocus='${pwn}`, `<link rel=stylesheet href="${evil}/css">`,
    `<style>@import "${evil}/import";body{display:none}</style>`, `<base href="${evil}/">`, `<form action="${evil}/form"><input autofocus onfocus="${pwn}">`,
    `<meta http-equiv=refresh content="0;url=${evil}/refresh">`, `<object data="${evil}/object"></object>`, `<video src="${evil}/video" onerror="${pwn}"></video>`,
    `<a href="javascript:${pwn}" class=trap>trap</a>`, `[trap](javascript:${encodeURIComponent(pwn)})`, `![pixel](${evil}/markdown)`,
    `[r]: ${evil}/reference`, `![r]`, `<!--`, "```", "~~~", "\u202E\u2066", "\x1b]0;PWNED\x07\x1b[2J", "--><![CDATA[",
  ].join(" ");
  const document = poisoned(demo, payload);
  const long = "<b>".repeat(10_000_000 / 3);
  document.messages[1].text = long;
  document.messages[2].tool_calls[0].output = long;

  const tab = await chromium.page();
  const url = page("hostile", document);
  await tab.open(url);
  // Touch everything that could be touched.
  await tab.evaluate(`
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    for (const link of document.querySelectorAll("a")) {
      if (!link.href.startsWith("http")) link.click();
      link.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    }
    for (const element of document.querySelectorAll("main *")) element.focus?.();
    new Promise((done) => setTimeout(done, 1500))`);
  const outside = tab.requests.filter((request) => !request.startsWith(url) && !request.startsWith("data:"));
  check(await tab.evaluate("window.pwned") === undefined, "no script of the transcript ran");
  check(!(await tab.evaluate("document.title")).startsWith("PWNED"), "the title was not taken over");
  check(tab.dialogs.length === 0, "no dialog was opened");
  check(outside.length === 0, `no request left the page ${outside.slice(0, 3)}`);
  check(visits.length === 0, `nobody called ${visits.slice(0, 3)}`);
  check(tab.errors.length === 0, `nothing had to be blocked ${tab.errors.slice(0, 2)}`);
  const count = (selector) => tab.evaluate(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
  check(await count("script") === 1, "one script: the page's own");
  check(await count("iframe, object, embed, video, svg, form, base, link, style:not(head > style)") === 0,
    "no element that loads or runs anything");
  check(await count("main .message, main .notice") >= demo.messages.length - 3, "every message is inside the page");
  check(await tab.evaluate(`[...document.links].every((link) => /^(https?|mailto|file):/.test(link.href))`),
    "links lead to the web or into the page");
  check(await tab.evaluate(`![...document.querySelectorAll("*")].some((element) =>
    [...element.attributes].some(({ name }) => name.startsWith("on") || name === "style"))`), "no handlers, no inline styles");
  await tab.close();
  canary.close();
};

const friendly = async (chromium) => {
  const url = page("friendly", demo);
  for (const width of [390, 1280]) {
    const tab = await chromium.page({ width });
    await tab.open(url);
    await tab.evaluate(`for (const fold of document.querySelectorAll("details")) fold.open = true`);
    const wide = await tab.evaluate("document.documentElement.scrollWidth");
    check(wide <= width, `nothing is wider than ${width} pixels (${wide})`);
    await tab.close();
  }
  const tab = await chromium.page({ scheme: "dark" });
  await tab.open(url);
  const colour = () => tab.evaluate("getComputedStyle(document.body).backgroundColor");
  const dark = await colour();
  await tab.evaluate(`document.getElementById("theme").click()`);
  check(await colour() !== dark, "the button changes dark to light");
  await tab.evaluate(`const box = document.getElementById("search"); box.value = "sleep(duration::from_millis";
    box.dispatchEvent(new Event("input")); new Promise((done) => setTimeout(done, 400))`);
  check(/^[1-9]\d* found$/.test(await tab.evaluate(`document.getElementById("found").textContent`)),
    "search finds words across colours");
  await tab.evaluate(`document.getElementById("search").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }))`);
  check(/^1 of /.test(await tab.evaluate(`document.getElementById("found").textContent`)), "Enter goes to the first match");
  check(await tab.evaluate(`[...document.querySelectorAll(".turns a")].every((link) =>
    document.getElementById(link.hash.slice(1)))`), "every prompt of the list is on the page");
  check(await tab.evaluate(`(() => { const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    return new Set(ids).size === ids.length; })()`), "every id is there once");
  await tab.evaluate(`document.getElementById("fold").click()`);
  check(await tab.evaluate(`[...document.querySelectorAll("main details")].every(({ open }) => open)`), "everything unfolds");
  check(await tab.evaluate(`[...document.images].every(({ naturalWidth }) => naturalWidth > 0)`), "pictures are shown");
  check(tab.errors.length === 0, `no errors ${tab.errors}`);
  check(tab.requests.every((request) => request.startsWith("file:") || request.startsWith("data:")), "no request");
  await tab.close();
};

const chromium = new Chromium();
try {
  await hostile(chromium);
  await friendly(chromium);
} finally {
  await chromium.close();
  rmSync(work, { recursive: true, force: true });
}
console.log(failures === 0 ? "all good" : `${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;

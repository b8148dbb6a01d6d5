// Takes pictures of a page: node screenshots.mjs PAGE.html DIRECTORY
// At phone and desktop width, light and dark; the first screen, and the whole page unfolded.
//
// Or of a running viewer, one of each page: node screenshots.mjs http://127.0.0.1:… PATH=FILE.png …

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Chromium } from "./chromium.mjs";

const [first, ...others] = process.argv.slice(2);
if (!first || !others.length) throw new Error("usage: node screenshots.mjs PAGE.html DIRECTORY, or URL PATH=FILE …");

const chromium = new Chromium();
const ofPage = async (directory) => {
  mkdirSync(directory, { recursive: true });
  for (const [name, width, height] of [["phone", 390, 844], ["desktop", 1280, 860]]) {
    for (const scheme of ["light", "dark"]) {
      const page = await chromium.page({ width, height, scheme, scale: 1 });
      await page.open(pathToFileURL(resolve(first)).href);
      writeFileSync(join(directory, `${name}-${scheme}.png`), await page.screenshot());
      await page.evaluate(`
        for (const fold of document.querySelectorAll("main details")) fold.open = true;
        for (const message of document.querySelectorAll(".message")) message.style.contentVisibility = "visible";
        new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
      const whole = await page.evaluate("document.documentElement.scrollHeight");
      writeFileSync(join(directory, `${name}-${scheme}-whole.png`), await page.screenshot({
        captureBeyondViewport: true, clip: { x: 0, y: 0, width, height: whole, scale: 1 },
      }));
      await page.close();
    }
  }
};

const ofViewer = async (pages) => {
  const tab = await chromium.page({ width: 1280, height: 900 });
  await tab.open(first);
  for (const page of pages) {
    const [path, file] = page.split(/=(?=[^=]*$)/);
    await tab.open(new URL(path, first).href);
    await new Promise((done) => setTimeout(done, 1500));
    writeFileSync(file, await tab.screenshot());
  }
};

await (/^https?:/.test(first) ? ofViewer(others) : ofPage(others[0]));
await chromium.close();

// Takes pictures of a page: node screenshots.mjs PAGE.html DIRECTORY
// At phone and desktop width, light and dark; the first screen, and the whole page unfolded.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Chromium } from "./chromium.mjs";

const [file, directory] = process.argv.slice(2);
if (!file || !directory) throw new Error("usage: node screenshots.mjs PAGE.html DIRECTORY");
mkdirSync(directory, { recursive: true });

const chromium = new Chromium();
for (const [name, width, height] of [["phone", 390, 844], ["desktop", 1280, 860]]) {
  for (const scheme of ["light", "dark"]) {
    const page = await chromium.page({ width, height, scheme, scale: 1 });
    await page.open(pathToFileURL(resolve(file)).href);
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
await chromium.close();

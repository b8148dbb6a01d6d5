// Drives the system's Chromium over its debugging pipe. No packages are needed.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--force-color-profile=srgb", "--remote-debugging-pipe",
];

export class Chromium {
  #child;
  #profile = mkdtempSync(join(tmpdir(), "gemtrail-browser-"));
  #next = 1;
  #waiting = new Map();
  #listeners = [];
  #buffer = "";

  constructor(program = process.env.CHROMIUM ?? "chromium") {
    const args = [...FLAGS, `--user-data-dir=${this.#profile}`, "about:blank"];
    this.#child = spawn(program, args, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.#child.on("error", (error) => { throw new Error(`cannot start ${program}: ${error.message}`); });
    this.#child.stdio[4].setEncoding("utf8").on("data", (text) => this.#receive(text));
  }

  #receive(text) {
    this.#buffer += text;
    const messages = this.#buffer.split("\0");
    this.#buffer = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      const waiting = this.#waiting.get(message.id);
      if (!waiting) {
        for (const listener of this.#listeners) listener(message);
        continue;
      }
      this.#waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.result);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  on(listener) { this.#listeners.push(listener); }

  // A fresh tab. `scheme` is light or dark, `width` in CSS pixels.
  async page({ width = 1280, height = 900, scale = 1, scheme = "light" } = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    for (const domain of ["Page", "Network", "Runtime", "Log"]) await page.send(`${domain}.enable`);
    await page.send("Emulation.setDeviceMetricsOverride",
      { width, height, deviceScaleFactor: scale, mobile: width < 600 });
    await page.send("Emulation.setEmulatedMedia",
      { features: [{ name: "prefers-color-scheme", value: scheme }] });
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    await this.send("Browser.close").catch(() => {});
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  requests = [];
  dialogs = [];
  errors = [];
  #chromium;
  #session;
  #target;
  #loaded = () => {};

  constructor(chromium, session, target) {
    this.#chromium = chromium;
    this.#session = session;
    this.#target = target;
    chromium.on((message) => { if (message.sessionId === session) this.#handle(message); });
  }

  #handle({ method, params }) {
    if (method === "Page.loadEventFired") this.#loaded();
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Runtime.exceptionThrown") {
      const { text, exception } = params.exceptionDetails;
      this.errors.push(exception?.description ?? text);
    }
    if (method === "Log.entryAdded" && params.entry.level === "error") this.errors.push(params.entry.text);
    if (method === "Page.javascriptDialogOpening") {
      this.dialogs.push(params.message);
      void this.send("Page.handleJavaScriptDialog", { accept: true });
    }
  }

  send(method, params) { return this.#chromium.send(method, params, this.#session); }

  async open(url) {
    const loaded = new Promise((resolve) => { this.#loaded = resolve; });
    await this.send("Page.navigate", { url });
    await loaded;
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate",
      { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async screenshot(options = {}) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", ...options });
    return Buffer.from(data, "base64");
  }

  close() { return this.#chromium.send("Target.closeTarget", { targetId: this.#target }); }
}

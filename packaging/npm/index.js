"use strict";
// Everything that was said and done in Gemini CLI, as data, over the program of this platform.

const { spawn } = require("node:child_process");
const { createInterface } = require("node:readline");
const { programs, missing } = require("./program.js");

class GemtrailError extends Error {
  constructor(code, message, hint, exitCode) {
    super(message);
    this.name = "GemtrailError";
    this.code = code;
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

function list(options = {}) {
  return lines(["list", ...flags(options)], true);
}

function search(query, options = {}) {
  return lines(["search", ...flags(options), "--", query], true);
}

function projects(options = {}) {
  return lines(["projects", ...flags(options)], true);
}

async function* read(name, options = {}) {
  for await (const line of lines(["export", "--format", "jsonl", ...flags(options), "--", name])) {
    if (line.schema.startsWith("gemtrail.message/")) yield line;
  }
}

async function session(name, options = {}) {
  return JSON.parse(await run("show", ...flags(options), "--", name));
}

async function stats(options = {}) {
  return JSON.parse(await run("stats", ...flags(options)));
}

async function run(...args) {
  const child = await start(args);
  const chunks = [];
  for await (const chunk of child.stdout) chunks.push(chunk);
  await ended(child);
  return Buffer.concat(chunks).toString("utf8");
}

// `{ noArchive: true, since: "7d" }` as options of the command line.
function flags(options) {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    return [value].flat().map((one) => `${flag}=${one}`);
  });
}

async function* lines(args, mayBeEmpty = false) {
  const child = await start(args);
  let isDone = false;
  try {
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) yield JSON.parse(line);
    isDone = true;
    await ended(child);
  } catch (error) {
    const isNothing = mayBeEmpty && error instanceof GemtrailError && error.exitCode === 1;
    if (!isNothing) throw error;
  } finally {
    if (!isDone) child.kill();
  }
}

// The first program that can be run: one of them may be for another C library.
async function start(args) {
  const all = process.env.GEMTRAIL_PROGRAM ? [process.env.GEMTRAIL_PROGRAM] : programs;
  let [message, hint] = missing();
  for (const program of all) {
    const child = spawn(program, ["--json", "--quiet", ...args], { stdio: ["ignore", "pipe", "pipe"] });
    child.told = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (child.told += text));
    child.closed = new Promise((resolve) => child.on("close", resolve));
    try {
      await new Promise((resolve, reject) => child.on("spawn", resolve).on("error", reject));
      return child;
    } catch (error) {
      [message, hint] = [`${program} cannot be run: ${error.message}`, null];
    }
  }
  throw new GemtrailError("no-program", message, hint, null);
}

async function ended(child) {
  const exitCode = await child.closed;
  if (exitCode === 0) return;
  for (const line of child.told.split("\n").reverse()) {
    try {
      const { schema, code, message, hint } = JSON.parse(line);
      if (schema.startsWith("gemtrail.error/")) throw new GemtrailError(code, message, hint ?? null, exitCode);
    } catch (error) {
      if (error instanceof GemtrailError) throw error;
    }
  }
  throw new GemtrailError("failed", child.told.trim() || `the program ended with ${exitCode}`, null, exitCode);
}

module.exports = { GemtrailError, list, projects, read, run, search, session, stats };

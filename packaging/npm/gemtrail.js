#!/usr/bin/env node
"use strict";
// Runs the program from the package that npm installed for this platform, and ends the way it does.

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { programs, missing } = require("../program.js");

function fail(...lines) {
  process.stderr.write(lines.map((line) => `${line}\n`).join(""));
  process.exitCode = 2;
}

function run([program, ...others]) {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  // The terminal sends these to the program as well, which decides what comes of them.
  const ignored = ["SIGINT", "SIGHUP", "SIGQUIT"].map((name) => [name, () => {}]);
  const handlers = [...ignored, ["SIGTERM", () => child.kill("SIGTERM")]];
  handlers.forEach(([name, handler]) => process.on(name, handler));
  child.on("error", (error) => {
    handlers.forEach(([name, handler]) => process.off(name, handler));
    // A program for the other C library: its loader is what does not exist.
    if (error.code === "ENOENT" && others.length > 0) return run(others);
    fail(`error: ${program} cannot be run: ${error.message}`);
  });
  child.on("exit", (code, signal) => {
    handlers.forEach(([name, handler]) => process.off(name, handler));
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    process.exitCode = 128 + constants.signals[signal];
    process.kill(process.pid, signal);
  });
}

if (programs.length > 0) {
  run(programs);
} else {
  const [message, hint] = missing();
  fail(`error: ${message}`, "", `hint: ${hint}`);
}

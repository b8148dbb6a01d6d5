"use strict";
// The program that npm installed for this platform: the candidates, the likeliest first.

const { homepage, optionalDependencies } = require("./package.json");

const platform = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "gemtrail.exe" : "gemtrail";
const packages = Object.keys(optionalDependencies).filter((name) => {
  const [, suffix] = name.split(`@gemtrail/${platform}`);
  return suffix === "" || suffix === "-gnu" || suffix === "-musl";
});

const programs = packages.flatMap((name) => {
  try {
    return [require.resolve(`${name}/bin/${file}`)];
  } catch {
    return [];
  }
});

// What to say if there is none: the message and the hint.
function missing() {
  if (packages.length > 0) {
    return [
      `the program for ${platform} is not installed`,
      `it comes with the optional dependency ${packages.join(" or ")}; install gemtrail again without --omit=optional`,
    ];
  }
  return [`there is no program for ${platform}`, `${homepage} tells how to build it`];
}

module.exports = { programs, missing };

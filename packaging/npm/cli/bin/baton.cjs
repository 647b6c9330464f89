#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// baton.cjs - run the program of the package for this platform, with the same words, streams and exit code.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const path = require("node:path");

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

// The path of the program, or null where this platform has none. With musl the program would not start.
function findProgram() {
  const usesMusl = process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
  try {
    return usesMusl ? null : require.resolve(`baton-handoff-cli-${process.platform}-${process.arch}/bin/baton`);
  } catch {
    return null;
  }
}

const program = findProgram();
if (!program) {
  console.error(
    `baton: baton-handoff-cli has no program for ${process.platform}-${process.arch}, or it was installed without optional packages.\n` +
      "       Other ways: npm install baton-handoff (judging in Node, without a program); the Debian package or the\n" +
      "       archive of a release; or build from source with script/install.",
  );
  process.exit(2);
}
// The program finds itself on PATH, and not this launcher, which it would take for another one.
const env = { ...process.env, PATH: [path.dirname(program), process.env.PATH ?? ""].join(path.delimiter) };
const child = spawn(program, process.argv.slice(2), { stdio: "inherit", env });
for (const name of FORWARDED) {
  process.on(name, () => child.kill(name));
}
child.on("error", (why) => {
  console.error(`baton: ${program} cannot be run: ${why.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));

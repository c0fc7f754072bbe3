// Runs before `npm test` and `npm run demo`, possibly under an old Node and without node_modules: plain CommonJS, no dependency.
// It installs when nothing is installed, or when the lock file is newer than what is; the script after it then finds the
// project's own Node first on the PATH.
const { spawnSync } = require("node:child_process");
const { existsSync, statSync } = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "..");
const installed = join(root, "node_modules", ".package-lock.json");
const wanted = join(root, "package-lock.json");

const current = existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs;
if (!current) {
  console.log("bookonce: installing dependencies (npm ci)…");
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
  const result = spawnSync(npm[0], [...npm.slice(1), "ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: "inherit",
  });
  if (result.status !== 0) process.exit(result.status === null ? 1 : result.status);
}

// In an npm script, "node" is the project's own by now. Where install scripts are forbidden it never came, and an old Node of the
// machine would run everything and fail in strange ways.
if (process.env.npm_lifecycle_event) {
  const found = spawnSync("node", ["--version"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  }).stdout.trim();
  if (Number.parseInt(found.slice(1), 10) < 22) {
    console.error(
      `bookonce: this is Node ${found}, and 22 or newer is needed. The package "node" brings one, if npm may run its`,
    );
    console.error("install script: npm rebuild node --ignore-scripts=false");
    process.exit(1);
  }
}

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
  process.exit(result.status === null ? 1 : result.status);
}

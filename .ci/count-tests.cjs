// Prints "N passed, N failed" over vitest's JSON reports. A report that is missing, or a test file that did not even load, is a failure.
const { readFileSync } = require("node:fs");

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  try {
    const report = JSON.parse(readFileSync(file, "utf8"));
    passed += report.numPassedTests;
    failed += report.numFailedTests;
    failed += report.testResults.filter(
      (result) => result.status === "failed" && !result.assertionResults.some((test) => test.status === "failed"),
    ).length;
  } catch {
    failed += 1;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

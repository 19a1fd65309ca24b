// What vitest's JSON report says: `PASSED FAILED SKIPPED` on the first line, and below it each test that failed with
// the first lines of why, so that the end of a long log tells what to look at. A run that left no report has no tests.
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const say = (text) => process.stdout.write(`${text}\n`);

const REASON_LINES = 12;

const report = readFileSync(process.argv[2], 'utf8');
const {
  numPassedTests = 0,
  numFailedTests = 0,
  numPendingTests = 0,
  testResults = [],
} = report === '' ? {} : JSON.parse(report);
say(`${numPassedTests} ${numFailedTests} ${numPendingTests}`);

/** The first lines of a message, behind four blanks. */
function reasonOf(message) {
  const lines = stripVTControlCharacters(message).trim().split('\n').slice(0, REASON_LINES);
  return lines.map((line) => `    ${line}`).join('\n');
}

for (const { name, status, message, assertionResults } of testResults) {
  const file = name.replace(`${process.cwd()}/`, '');
  const failures = assertionResults.filter((result) => result.status === 'failed');
  for (const { fullName, failureMessages } of failures) {
    say(`${file}: ${fullName}\n${failureMessages.map(reasonOf).join('\n')}`);
  }
  // A file that could not be loaded has no tests to fail.
  if (status === 'failed' && failures.length === 0) say(`${file}\n${reasonOf(message ?? '')}`);
}

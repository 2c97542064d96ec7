/** `npm test`: all tests. What follows "--" goes to the test runner, files too: `npm test -- --test-name-pattern=sample test/unit/*.test.ts`. */
import { spawnSync } from 'node:child_process';
import { builtProgram } from './support/built-program.ts';

// Without the cache, each of the processes compiles the same sources.
const preloaded = ['compile-cache.js', 'temporary-files.js'].map((file) => `--import=./test/support/${file}`);
const given = process.argv.slice(2);
const options = given.filter((text) => text.startsWith('-'));
const files = given.filter((text) => !text.startsWith('-'));
const { status, error } = spawnSync(
  process.execPath,
  [
    ...preloaded,
    ...['--test', '--test-concurrency=3', '--test-reporter=spec'],
    ...options,
    ...(files.length === 0 ? ['test/**/*.test.ts'] : files),
  ],
  { stdio: 'inherit', env: { ...process.env, TEST_PROGRAM: await builtProgram() } },
);
if (error !== undefined) throw error;
process.exitCode = status ?? 1;

/** `npm test`: all tests. What follows "--" goes to the test runner: `npm test -- --test-name-pattern=sample`. */
import { spawnSync } from 'node:child_process';

// Without the cache, each of the processes compiles the same sources.
const preloaded = ['compile-cache.js', 'temporary-files.js'].map((file) => `--import=./test/support/${file}`);
const options = ['--test', '--test-concurrency=3', '--test-reporter=spec', ...process.argv.slice(2)];
const { status, error } = spawnSync(process.execPath, [...preloaded, ...options, 'test/**/*.test.ts'], {
  stdio: 'inherit',
});
if (error !== undefined) throw error;
process.exitCode = status ?? 1;

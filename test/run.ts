/** `npm test`: all tests. What follows "--" goes to the test runner, files too: `npm test -- --test-name-pattern=sample test/unit/*.test.ts`. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { builtProgram } from './support/built-program.ts';

const execArgv = [
  // Without the cache, each of the processes compiles the same sources.
  '--import=./test/support/compile-cache.js',
  '--import=./test/support/temporary-files.js',
  // Threads that share the work of a collector take a tenth more CPU time than one, and there is no idle processor for them.
  '--single-threaded-gc',
];
/** Twice the processors of a small machine: many tests wait for timers, disks and processes. */
const CONCURRENCY = 4;
const RERUN_FAILURES = '--test-rerun-failures=';

const given = process.argv.slice(2);
process.env.TEST_PROGRAM = await builtProgram();
if (given.every((text) => text.startsWith(RERUN_FAILURES))) runAll(given[0]?.slice(RERUN_FAILURES.length));
else runGiven();

function runAll(rerunFailuresFilePath: string | undefined): void {
  const files = inTurn(globSync('test/**/*.test.ts'));
  const options = { files, concurrency: CONCURRENCY, execArgv };
  run({ ...options, ...(rerunFailuresFilePath === undefined ? {} : { rerunFailuresFilePath }) })
    .on('test:fail', ({ todo }) => {
      if (todo === undefined || todo === false) process.exitCode = 1;
    })
    .compose(new spec())
    .pipe(process.stdout);
}

/**
 * Files of all directories in turn, the next one of each: those of one directory spend their time alike, some with calculations and
 * others with waiting. The files of the largest directory come last; they are short.
 */
function inTurn(files: readonly string[]): string[] {
  const directories = [...Map.groupBy(files.toSorted(), (file) => dirname(file)).values()];
  const longest = Math.max(...directories.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => directories.flatMap((own) => own.slice(i, i + 1))).flat();
}

function runGiven(): void {
  const options = given.filter((text) => text.startsWith('-'));
  const files = given.filter((text) => !text.startsWith('-'));
  const { status, error } = spawnSync(
    process.execPath,
    [
      ...execArgv,
      ...['--test', `--test-concurrency=${CONCURRENCY}`, '--test-reporter=spec'],
      ...options,
      ...(files.length === 0 ? ['test/**/*.test.ts'] : files),
    ],
    { stdio: 'inherit' },
  );
  if (error !== undefined) throw error;
  process.exitCode = status ?? 1;
}

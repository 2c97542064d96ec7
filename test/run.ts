/**
 * `npm test` runs the files NAME.test.ts, `npm run test:full` those that are called NAME.full.test.ts: tests that start processes, services or
 * browsers, ask other programs, or compute for more than about a second. What follows "--" goes to the test runner, files too:
 * `npm test -- --test-name-pattern=sample packages/operations/test/clip.test.ts`.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { builtProgram } from './support/built-program.ts';
import { buildWorkspace } from './support/built-workspace.ts';
import { packedPackage } from './support/packed-package.ts';

const execArgv = [
  // Without the cache, each of the processes compiles the same sources.
  '--import=./test/support/compile-cache.js',
  '--import=./test/support/temporary-files.js',
  '--import=./test/support/bounds.ts',
  // Threads that share the work of a collector take a tenth more CPU time than one, and there is no idle processor for them.
  '--single-threaded-gc',
];
const FULL = '.full.test.ts';
/** Tests of a workspace are in its folder `test`; those of the whole product, and laws over the registries, in the folder `test` of the root. */
const FOLDERS = '{test,packages/{,engines/}*/test,apps/*/test}';
/** Twice the processors of a small machine: many tests of the full set wait for timers, disks and processes. */
const FULL_CONCURRENCY = 4;
/** So many files of the quick set share a process: to start one and to load the modules takes longer than most of these files. */
const GROUP_FILES = 16;
const GROUPS = join('node_modules', '.cache', 'geomill-tests', 'groups');

const isFull = process.argv[2] === '--full';
const given = process.argv.slice(isFull ? 3 : 2);
process.env.TEST_PROGRAM = await builtProgram();
// Built once, before the tests: files that run at the same time would each build it.
if (isFull) await buildWorkspace();
if (isFull && given.length === 0) await packedPackage();
if (given.length === 0) runAll();
else runGiven();

function runAll(): void {
  const all = globSync(`${FOLDERS}/**/*.test.ts`, { exclude: ['**/node_modules'] }).filter(
    (file) => file.endsWith(FULL) === isFull,
  );
  const files = isFull ? inTurn(all) : groupsOf(all);
  const concurrency = isFull ? FULL_CONCURRENCY : availableParallelism();
  run({ files, concurrency, execArgv })
    .on('test:fail', ({ todo }) => {
      if (todo === undefined || todo === false) process.exitCode = 1;
    })
    .compose(new spec())
    .pipe(process.stdout);
}

/** Files of all directories in turn, the next one of each: those of one directory spend their time alike, some with calculations and others with waiting. */
function inTurn(files: readonly string[]): string[] {
  const directories = [...Map.groupBy(files.toSorted(), (file) => dirname(file)).values()];
  const longest = Math.max(...directories.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => directories.flatMap((own) => own.slice(i, i + 1))).flat();
}

/** Writes modules that import so many test files each, neighbours by name, which load the same modules; returns their paths. */
function groupsOf(files: readonly string[]): string[] {
  rmSync(GROUPS, { recursive: true, force: true });
  mkdirSync(GROUPS, { recursive: true });
  const sorted = files.toSorted();
  const count = Math.ceil(sorted.length / GROUP_FILES);
  return Array.from({ length: count }, (_, i) => {
    const own = sorted.slice((i * sorted.length) / count, ((i + 1) * sorted.length) / count);
    const path = join(GROUPS, `${basename(own[0], '.test.ts')}-and-${own.length - 1}-more.test.mjs`);
    writeFileSync(path, own.map((file) => `import '${relative(GROUPS, resolve(file))}';\n`).join(''));
    return path;
  });
}

function runGiven(): void {
  const options = given.filter((text) => text.startsWith('-'));
  const files = given.filter((text) => !text.startsWith('-'));
  const pattern = `${FOLDERS}/**/${isFull ? `*${FULL}` : '!(*.full).test.ts'}`;
  const { status, error } = spawnSync(
    process.execPath,
    [
      ...execArgv,
      ...['--test', `--test-concurrency=${FULL_CONCURRENCY}`, '--test-reporter=spec'],
      ...options,
      ...(files.length === 0 ? [pattern] : files),
    ],
    { stdio: 'inherit' },
  );
  if (error !== undefined) throw error;
  process.exitCode = status ?? 1;
}

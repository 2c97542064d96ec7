/** The compiled code that packages/platform/src/program-loader.cjs keeps between runs of the bundled program. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { dirname, join } from 'node:path';
import test from 'node:test';
import { builtProgram } from '../../../test/support/built-program.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';

const ENTRANCE = join(await builtProgram(), 'bin', 'geomill.js');
const INPUT = '{"type":"Point","coordinates":[8.5,49.25]}';

interface Kept {
  /** Of the files with compiled code. */
  readonly paths: () => string[];
  readonly directory: () => string;
  /** Runs `geomill convert`. Returns what it wrote. */
  readonly convert: (input?: string) => string;
}

function keep(workspace: string): Kept {
  const cache = join(workspace, 'cache');
  const input = join(workspace, 'in.geojson');
  const output = join(workspace, 'out.csv');
  const paths = (): string[] => globSync(join(cache, '*', 'geomill-*', '*')).sort();
  return {
    paths,
    directory: () => dirname(paths()[0]),
    convert(text = INPUT) {
      writeFileSync(input, text);
      const args = [ENTRANCE, 'convert', input, output, '--overwrite', '--quiet'];
      const { status, stderr } = spawnSync(process.execPath, args, {
        env: { PATH: process.env.PATH, HOME: workspace, NODE_COMPILE_CACHE: cache },
        encoding: 'utf8',
      });
      assert.equal(stderr.includes('internal'), false, stderr);
      return status === 0 ? readFileSync(output, 'utf8') : stderr;
    },
  };
}

const timesOf = (paths: readonly string[]): number[] => paths.map((path) => statSync(path).mtimeMs);

test('the first runs keep compiled code, later ones only use it', () => {
  using workspace = makeWorkspace();
  const { convert, paths } = keep(workspace.path);
  const first = convert();
  const sizeOf = (): number => paths().reduce((sum, path) => sum + statSync(path).size, 0);
  const size = sizeOf();
  assert.ok(size > 100_000, `${size} bytes`);
  for (let run = 2; run <= 4; run++) assert.equal(convert(), first);
  assert.ok(sizeOf() >= size);
  const times = timesOf(paths());
  assert.equal(convert(), first);
  assert.deepEqual(timesOf(paths()), times);
});

test('a command that fails keeps no code', () => {
  using workspace = makeWorkspace();
  const { convert, paths } = keep(workspace.path);
  assert.match(convert('{'), /geomill: /);
  assert.deepEqual(paths(), []);
});

test('code that was cut short is compiled again', () => {
  using workspace = makeWorkspace();
  const { convert, paths } = keep(workspace.path);
  const first = convert();
  for (const share of [0, 0.001, 0.5, 0.999]) {
    const sizes = paths().map((path) => statSync(path).size);
    for (const [index, path] of paths().entries()) truncateSync(path, Math.floor(sizes[index] * share));
    assert.equal(convert(), first);
    // Written again, whole.
    for (const [index, path] of paths().entries()) assert.ok(statSync(path).size > 0.9 * sizes[index], path);
  }
});

test('code from where others can write is not run', {
  skip: process.platform === 'win32' ? 'needs the permissions of POSIX' : false,
}, () => {
  using workspace = makeWorkspace();
  const { convert, paths, directory } = keep(workspace.path);
  const first = convert();
  const path = directory();
  chmodSync(path, 0o770);
  const times = timesOf(paths());
  assert.equal(convert(), first);
  assert.deepEqual(timesOf(paths()), times);

  chmodSync(path, 0o700);
  const elsewhere = join(workspace.path, 'elsewhere');
  renameSync(path, elsewhere);
  symlinkSync(elsewhere, path);
  assert.equal(convert(), first);
  assert.deepEqual(timesOf(globSync(join(elsewhere, '*')).sort()), times);
});

test('the code of old builds is removed', () => {
  using workspace = makeWorkspace();
  const { convert, directory } = keep(workspace.path);
  const first = convert();
  const own = directory();
  const others = Array.from({ length: 6 }, (_, index) => join(dirname(own), `geomill-${index}`));
  for (const other of others) mkdirSync(other);
  renameSync(own, join(workspace.path, 'elsewhere'));
  assert.equal(convert(), first);
  assert.equal(existsSync(own), true);
  assert.equal(others.filter((other) => existsSync(other)).length, 3);
});

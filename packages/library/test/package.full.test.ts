/** The library of the packed package: in several runtimes, for two compilers, for tools that check packages, and for a bundler. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { IS_EXHAUSTIVE, onlyExhaustive } from '../../../test/support/exhaustive.ts';
import { packedPackage } from '../../../test/support/packed-package.ts';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

const npmCanInstall = await run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=20000']).then(
  () => true,
  () => false,
);
const needsRegistry = { skip: npmCanInstall ? false : 'the npm registry cannot be reached' };

/** In the versions that the results were checked with. Two bundlers of three only in exhaustive runs: to install them takes most of their time. */
const TOOLS = [
  ...[
    'bun@1',
    'deno@2',
    'typescript@5.9',
    'publint@0.3',
    '@arethetypeswrong/cli',
    'esbuild',
    '@types/node@26',
  ],
  ...(IS_EXHAUSTIVE ? ['vite', 'webpack', 'webpack-cli'] : []),
];

const PROGRAM = `
import { convert, crs, GeomillError, read } from 'geomill';
const job = { input: 'harbour.geojson', steps: [{ type: 'buffer', params: { distance: 10, units: 'meters' } }] };
const { files, report } = await convert({ ...job, output: { format: 'gpkg', crs: 'EPSG:25832' } });
let count = 0;
for await (const { type } of read('harbour.geojson')) count += type === 'Feature' ? 1 : 0;
const output = { format: 'gpkg', crs: 'EPSG:99999' };
const code = await convert({ ...job, output }).catch((error) => error instanceof GeomillError && error.code);
const feature = (i) => ({ type: 'Feature', properties: { text: 'x'.repeat(200) }, geometry: { type: 'Point', coordinates: [i / 1000, 50] } });
const many = Array.from({ length: 60000 }, (_, i) => feature(i));
// So large that threads read it.
const large = await convert({ input: many, output: { format: 'csv', crs: 'EPSG:3857' } }, { threads: 2 });
const { createServer } = await import('node:http');
const server = createServer((_, response) => response.end('name,lon,lat\\nNordkai,10,54\\n'));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = 'http://127.0.0.1:' + server.address().port + '/quays.csv';
const fetched = await convert({ input: url, output: { format: 'geojson' } });
server.close();
console.log(files[0].name, report.features.written, count, code, crs('lv95')[0].code, large.report.features.written, fetched.files[0].name);
`;
const PRINTED = 'harbour.gpkg 10 10 CRS_UNKNOWN EPSG:2056 60000 quays.geojson\n';

const TYPED = `
import { type Converted, convert, GeomillError, read } from 'geomill';
const steps = [{ type: 'buffer', params: { distance: 10, units: 'meters' } }] as const;
const signal = AbortSignal.timeout(1);
const { files }: Converted = await convert({ input: new Blob([]), steps: [...steps], output: { format: 'gpkg' } }, { signal });
for await (const { geometry } of read('a.gpkg')) geometry?.type satisfies string | undefined;
for await (const { columns } of read('a.gpkg', { as: 'columns' })) columns.a.type satisfies string;
// @ts-expect-error There is no such format.
await convert({ input: 'a', output: { format: 'none' } });
// @ts-expect-error A conversion has one input.
await convert({ inputs: ['a'], output: 'b.gpkg' });
try {
  (await files[0].bytes()) satisfies Uint8Array;
} catch (error) {
  if (error instanceof GeomillError) error.code satisfies string;
}
`;

/** The package with the binary of the oldest version that the package supports. */
const NODE_24 = `node-${process.platform}-${process.arch}`;

const directory = mkdtempSync(join(tmpdir(), 'geomill-library-'));
const project = join(directory, 'project');
/** Has nothing but the package and Node.js 24, without what install scripts would do. */
const plain = join(directory, 'plain');
const tool = (name: string): string => join(project, 'node_modules', '.bin', name);
after(() => rmSync(directory, { recursive: true, force: true }));

let tarball = '';

before(async () => {
  if (!npmCanInstall) return;
  ({ tarball } = await packedPackage());
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball];
  const prepare = async (cwd: string, ...more: readonly string[]): Promise<void> => {
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{"private":true,"type":"module"}');
    await run('npm', [...install, ...more], { cwd });
    cpSync(join(ROOT, 'samples', 'harbour.geojson'), join(cwd, 'harbour.geojson'));
    writeFileSync(join(cwd, 'program.mjs'), PROGRAM);
  };
  // Both wait for the registry and the disk most of the time.
  await Promise.all([prepare(project, ...TOOLS), prepare(plain, '--ignore-scripts', `${NODE_24}@24`)]);
  writeFileSync(join(project, 'typed.ts'), TYPED);
});

const RUNTIMES: Readonly<Record<string, () => readonly string[]>> = {
  'Node.js': () => [process.execPath],
  Bun: () => [tool('bun'), 'run'],
  Deno: () => [tool('deno'), 'run', '--allow-all'],
};

for (const [name, command] of Object.entries(RUNTIMES))
  test(`the library converts in ${name}`, needsRegistry, async () => {
    const [file, ...args] = command();
    const { stdout } = await run(file, [...args, 'program.mjs'], { cwd: project });
    assert.equal(stdout, PRINTED);
  });

test('the library converts in Node.js 24, installed without install scripts', needsRegistry, async () => {
  const node = join(plain, 'node_modules', NODE_24, 'bin', 'node');
  assert.match((await run(node, ['--version'])).stdout, /^v24\./);
  const { stdout } = await run(node, ['program.mjs'], { cwd: plain });
  assert.equal(stdout, PRINTED);
});

const COMPILERS: Readonly<Record<string, () => readonly string[]>> = {
  'TypeScript 5.9': () => [tool('tsc')],
  'TypeScript 7': () => [join(ROOT, 'node_modules', '.bin', 'tsc'), '--ignoreConfig'],
};

for (const [name, command] of Object.entries(COMPILERS))
  test(`its types are checked by ${name}`, needsRegistry, async () => {
    const [file, ...args] = command();
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--lib', 'es2023,esnext.disposable', '--types', 'node']; // biome-ignore format: one line
    await run(file, [...args, ...options, 'typed.ts'], { cwd: project });
  });

test('publint and attw find nothing wrong with the package', needsRegistry, async () => {
  await run(tool('publint'), ['--strict', join(project, 'node_modules', 'geomill')], { cwd: project });
  await run(tool('attw'), ['--profile', 'esm-only', tarball], { cwd: project });
});

/** Arguments of each bundler, and the bundle that it makes. */
const BUNDLERS: Readonly<Record<string, readonly [args: readonly string[], bundle: string]>> = {
  esbuild: [
    [
      'program.mjs',
      '--bundle',
      '--packages=external',
      '--platform=node',
      '--format=esm',
      '--outfile=bundle.mjs',
    ],
    'bundle.mjs',
  ],
  vite: [['build', '--ssr', 'program.mjs', '--outDir', 'vite', '--logLevel', 'error'], 'vite/program.js'],
  webpack: [[], 'webpack/program.mjs'],
};

const WEBPACK = `export default {
  mode: 'none',
  target: 'node24',
  entry: './program.mjs',
  experiments: { outputModule: true },
  output: { path: import.meta.dirname + '/webpack', filename: 'program.mjs', module: true, library: { type: 'module' } },
  externals: [/^geomill/],
  externalsType: 'module',
};
`;

for (const [name, [args, bundle]] of Object.entries(BUNDLERS))
  test(`${name} bundles a program for Node.js that leaves the package out`, {
    skip: needsRegistry.skip || (name !== 'esbuild' && onlyExhaustive),
  }, async () => {
    writeFileSync(join(project, 'webpack.config.mjs'), WEBPACK);
    await run(tool(name), args, { cwd: project });
    const { stdout } = await run(process.execPath, [bundle], { cwd: project });
    assert.equal(stdout, PRINTED);
  });

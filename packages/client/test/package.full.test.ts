/** The client as others get it: built, in node_modules, in an older Node and in a browser's types; and its documentation. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { packedPackage } from '../../../test/support/packed-package.ts';
import { startTestService } from '../../../test/support/service.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TSC = join(ROOT, 'node_modules', 'typescript', 'lib', 'tsc.js');
const run = promisify(execFile);

const project = mkdtempSync(join(tmpdir(), 'geomill-package-'));
test.after(() => rmSync(project, { recursive: true, force: true }));
const installed = join(project, 'node_modules', 'geomill');
mkdirSync(installed, { recursive: true });
cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
symlinkSync(join(ROOT, 'samples'), join(project, 'samples'));
cpSync((await packedPackage()).dist, join(installed, 'dist'), { recursive: true });
symlinkSync(join(ROOT, 'node_modules', '@types'), join(project, 'node_modules', '@types'));

const service = await startTestService({ runner: null });
test.after(() => service[Symbol.asyncDispose]());

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly files: readonly string[];
}

test('what the package exports is built and packed', () => {
  const { exports, files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  assert.ok(files.includes('dist'));
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  assert.ok(targets.length >= 4);
  for (const target of targets) assert.ok(existsSync(join(installed, target)), target);
});

/** A Node before type stripping, of those that PATH names. */
async function olderNode(): Promise<string | null> {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(directory, 'node');
    if (!existsSync(path)) continue;
    const { stdout } = await run(path, ['--version']);
    const major = Number(/^v(\d+)/.exec(stdout)?.[1]);
    if (major >= 20 && major < 22) return path;
  }
  return null;
}

test('a program in Node 20 converts a file with it', async (t) => {
  const node = await olderNode();
  if (node === null) return t.skip('no Node 20 in PATH');
  writeFileSync(
    join(project, 'convert.mjs'),
    `import { GeomillClient } from 'geomill/client';
     import { fileFrom, saveTo } from 'geomill/client/node';
     import { createReadStream } from 'node:fs';
     import { Readable } from 'node:stream';
     const client = new GeomillClient({ baseUrl: process.argv[2] });
     const config = { input: { format: 'geojson' }, output: { format: 'csv' } };
     const streamed = { name: 'streamed.geojson', data: Readable.toWeb(createReadStream('samples/harbour.geojson')) };
     for (const input of [await fileFrom('samples/harbour.geojson'), streamed]) {
       const job = await client.submit({ input, config });
       const { report } = await job.wait();
       console.log(await saveTo(await job.download(), '.'), report.features.written);
     }`,
  );
  const { stdout } = await run(node, ['convert.mjs', service.url], { cwd: project });
  assert.equal(stdout, 'harbour.csv 10\nstreamed.csv 10\n');
  assert.equal(readFileSync(join(project, 'harbour.csv'), 'utf8').trim().split('\n').length, 11);
});

const blocks = ['README.md', 'docs/client.md'].flatMap((page) => {
  const found = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)];
  assert.ok(found.length > 0, page);
  // Those of the library, which needs its dependencies, are run by packages/library/test/docs.full.test.ts.
  const ofClient = found.filter(([, code]) => code.includes("'geomill/client"));
  return ofClient.map(([, code], i) => ({ page, name: `${basename(page, '.md')}-${i + 1}.ts`, code }));
});
for (const { name, code } of blocks)
  writeFileSync(join(project, name), code.replaceAll('http://127.0.0.1:8080', service.url));
writeFileSync(join(project, 'package.json'), '{"type":"module"}');

for (const { page, name, code } of blocks)
  test(`${page}, ${name}: ${code
    .split('\n')
    .find((line) => line.includes('await '))
    ?.trim()}`, async () => {
    const { stdout } = await run(process.execPath, [name], { cwd: project });
    for (const [, said] of code.matchAll(/\/\/ (?:\d+ )?([A-Z_]+) /g)) assert.match(stdout, new RegExp(said));
  });

async function typeCheck(files: readonly string[], ...options: string[]): Promise<void> {
  const strict = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];
  const args = [TSC, '--ignoreConfig', ...strict, '--lib', ...options, ...files];
  await run(process.execPath, args, { cwd: project }).catch(({ stdout }: { stdout: string }) =>
    assert.fail(stdout),
  );
}

test('the examples pass the type check of a strict program', () =>
  typeCheck(
    blocks.map(({ name }) => name),
    'es2022',
    '--types',
    'node',
  ));

test('the client passes the type check of a browser program, without the types of Node', async () => {
  writeFileSync(
    join(project, 'browser.ts'),
    `import { GeomillClient, type Progress } from 'geomill/client';
     const client = new GeomillClient({ baseUrl: location.origin });
     const file: File = document.querySelector('input')!.files![0];
     const told: Progress[] = [];
     const output = await client.transform(
       'geojson',
       { input: file, config: { output_format: 'gpkg', output_crs: 'EPSG:25832' } },
       { onProgress: (progress) => told.push(progress) },
     );
     const url: string = URL.createObjectURL(await output.blob());
     const stream: ReadableStream<Uint8Array> = output.stream();
     // @ts-expect-error: an option that this format does not have
     await client.transform('shp', { input: file, config: { output_format: 'csv', input_csv_options: 1, nonsense: true } });
     // @ts-expect-error: a format that there is not
     await client.transform('gml', { input: file, config: { output_format: 'csv' } });
     // @ts-expect-error: dxf has no CRS of its own
     await client.transform('dxf', { input: file, config: { output_format: 'csv' } });
     export { stream, url };`,
  );
  await typeCheck(['browser.ts'], 'es2022,dom,dom.iterable,dom.asynciterable', '--types', '');
});

test('in a checkout the client can be imported once it is built', async () => {
  const code = "import('geomill/client').then(({ GeomillClient }) => console.log(typeof GeomillClient))";
  const { stdout } = await run(process.execPath, ['-e', code], { cwd: ROOT });
  assert.equal(stdout, 'function\n');
});

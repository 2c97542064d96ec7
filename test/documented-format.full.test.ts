/** The format of docs/add-a-format.md, in a copy of the sources: what the page says is all that a format needs. */
import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from './support/convert.ts';
import { copySources, runInCopy } from './support/copied-sources.ts';

const PAGE = readFileSync(join(import.meta.dirname, '..', 'docs', 'add-a-format.md'), 'utf8');
const REGISTRY = 'packages/formats/src/registry.ts';

/** The files of the page: a path in a line of its own before each block. */
const files = [...PAGE.matchAll(/^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$/gms)].map(([, path, text]) => ({ path, text })); // biome-ignore format: one line

/** Adds the format as the page says: the files, and two lines of the registry. */
function addFormat(root: string): void {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const [, statement] = /`(import [^`]+;)`/.exec(PAGE) ?? [];
  const name = /\{ (\w+) \}/.exec(statement)![1];
  const registry = readFileSync(join(root, REGISTRY), 'utf8');
  const changed = registry
    .replace(/^(?=import )/m, `${statement}\n`)
    .replace(/^(export const formats: readonly Format\[\] = \[.*?)^\];/ms, `$1  ${name},\n];`);
  assert.equal(changed.length, registry.length + statement.length + name.length + 5);
  writeFileSync(join(root, REGISTRY), changed);
}

/** Rules for all sources. */
const RULES = [
  'test/architecture.test.ts',
  'test/errors-catalogue.test.ts',
  'test/laws/format-names.test.ts',
];
/** Tests that have the id of a format in their name. */
const OF_FORMATS = ['test/conformance/*.test.ts', 'test/broken/*.test.ts', 'test/laws/*.test.ts'];
const NEEDS_A_PROCESS = /gdal|docs-names|openapi|package-readmes|own-look/;

test('a format that is made as the page says is converted both ways and keeps the laws of all formats', async () => {
  using workspace = makeWorkspace();
  const root = workspace.path;
  copySources(root);
  addFormat(root);
  const run = async (args: readonly string[], env = {}): Promise<string> => {
    const { status, output } = await runInCopy(root, args, env);
    assert.equal(status, 0, `node ${args.join(' ')}\n${output.slice(-8000)}`);
    return output;
  };
  await run(['--test', 'test/conformance/fixtures.test.ts'], { REGENERATE: '1' });
  const expected = JSON.parse(
    readFileSync(join(root, 'test/fixtures/wkt-lines/rules.expected.json'), 'utf8'),
  );
  assert.deepEqual(
    expected.layers[0].rows.map(({ geometry }: { readonly geometry: string | null }) => geometry),
    [
      'POINT (1 2)',
      null,
      'MULTIPOINT ((1 2),(3 4))',
      'POLYGON ((0 0,1 0,1 1,0 0))',
      'LINESTRING ZM (0 0 1 2,5 5 3 4)',
    ],
  );
  assert.deepEqual(expected.findings, { RING_CLOSED: 1, WKT_LINE_SRID: 1 });

  await run(['scripts/generate-docs.ts']);
  assert.match(readFileSync(join(root, 'docs/formats/README.md'), 'utf8'), /^\| WKT lines \| yes \| yes \|/m);
  // The platform names types of WebAssembly, which the project declares.
  const include = ['packages/formats/src/wkt-lines/*.ts', 'packages/core/src/webassembly.d.ts'];
  writeFileSync(join(root, 'tsconfig.format.json'), JSON.stringify({ extends: './tsconfig.json', include }));
  await run(['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.format.json']);

  await run(['bin/geomill.js', 'convert', 'samples/harbour.geojson', 'out.wktl']);
  await run(['bin/geomill.js', 'convert', 'out.wktl', 'back.geojson', '--from-crs', 'EPSG:4326']);
  const geometriesOf = (path: string): unknown[] =>
    (
      JSON.parse(readFileSync(join(root, path), 'utf8')) as { features: { geometry: unknown }[] }
    ).features.map(({ geometry }) => geometry);
  assert.deepEqual(geometriesOf('back.geojson'), geometriesOf('samples/harbour.geojson'));

  const laws = globSync(OF_FORMATS, { cwd: root }).filter((path) => !NEEDS_A_PROCESS.test(path));
  await run(['--test', '--test-isolation=none', '--test-reporter=spec', ...RULES]);
  const kept = await run([
    '--test',
    '--test-isolation=none',
    '--test-reporter=spec',
    '--test-name-pattern=wkt-lines',
    ...laws,
  ]);
  const passed = /^ℹ pass (\d+)$/m.exec(kept)?.[1];
  assert.ok(Number(passed) > 20, kept.slice(-2000));
});

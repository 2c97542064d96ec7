/** Facts about a format are in its record: other code asks the record, and names no format. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { formats } from '../../packages/formats/src/registry.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a literal can name a format by. Endings such as ".zip" and ".xml" are those of other files, too. */
const NAMES = new Set(
  formats.flatMap(({ id, aliases, extensions, fileParts = [] }) => [
    ...[id, ...aliases],
    ...[...extensions, ...fileParts].filter((extension) => !['.zip', '.json', '.xml'].includes(extension)),
    ...[...extensions, ...fileParts].map((extension) => extension.slice(1)).filter((name) => name !== 'zip'),
  ]),
);
// Words with other meanings.
for (const word of ['json', 'xml', 'id', 'map', 'tab']) NAMES.delete(word);

/** Files that name formats all the same: which, and why. */
const ALLOWED: Readonly<Record<string, readonly [names: readonly string[], reason: string]>> = {
  'apps/web/map/map-view.ts': [['geojson'], 'a type of sources of MapLibre'],
  'apps/web/map/base-style.ts': [['geojson'], 'a type of sources of MapLibre'],
  'apps/web/model/preview-format.ts': [['geojson', 'pmtiles'], 'the map draws GeoJSON and PMTiles'],
  'apps/web/model/open-tiles.ts': [['pmtiles'], 'the package that reads archives of tiles'],
  'apps/web/map/tiles-view.ts': [['pmtiles'], 'the package that reads archives of tiles'],
  'apps/web/model/document.ts': [['gpkg'], 'the output that a new document proposes'],
  'apps/service/src/pages/convert/form-view.ts': [['gpkg'], 'the output that a new form proposes'],
  'apps/service/src/jobs/runner-main.ts': [['geojson'], 'the job with which a runner warms up'],
  'apps/service/src/http/operations/versioned.ts': [['gpkg'], 'an example of the documentation'],
  'apps/service/src/http/request-bodies.ts': [['geojson'], 'an example of the documentation'],
  'packages/library/src/read-features.ts': [
    ['geojson', 'geojsonl', 'gpkg'],
    'features are read through an output in one of these formats',
  ],
  'packages/client/src/client.ts': [['geojson'], 'GeoJSON objects can be in a request'],
};

/** Files without one of them need no parser. */
const ANY_NAME = new RegExp(`\\b(?:${[...NAMES].map((name) => name.replace(/^\./, '')).join('|')})\\b`, 'i');

/** Names in string literals, keys of objects and patterns. A literal with other words as well is a sentence. */
function namesIn(code: string, path = 'code.ts'): Set<string> {
  const lists: string[][] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    else if (typeof node === 'object' && node !== null) {
      lists.push(wordsOf(node as Node));
      for (const value of Object.values(node)) visit(value);
    }
  };
  if (ANY_NAME.test(code)) visit(parseAst(code, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }, path));
  const lower = lists.map((list) => list.map((word) => word.toLowerCase()));
  return new Set(lower.filter((list) => list.every((word) => NAMES.has(word))).flat());
}

interface Node {
  readonly type?: string;
  readonly value?: unknown;
  readonly regex?: { readonly pattern: string };
  readonly key?: { readonly name?: string };
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
}

function wordsOf({ type, value, regex, key, quasis }: Node): string[] {
  const split = (text: string): string[] => text.split(/[\s,|]+/).filter((word) => word !== '');
  if (regex !== undefined && regex !== null)
    return [...regex.pattern.matchAll(/\w+(?:\|\w+)+|(?<=\\\.)\w+/g)].flatMap(([words]) => words.split('|'));
  if (type === 'Literal' && typeof value === 'string') return split(value);
  if (type === 'TemplateLiteral' && quasis?.length === 1) return split(quasis[0].value.raw);
  return type === 'Property' && key?.name !== undefined ? [key.name] : [];
}

const files = globSync('{apps,packages}/**/*.{ts,tsx,js}', {
  cwd: ROOT,
  exclude: ['**/node_modules', '**/dist', '**/test'],
})
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.startsWith('packages/formats/src/') && !path.endsWith('.d.ts'));

test('no file outside the formats names one', () => {
  assert.ok(files.length > 500, 'the sources were found');
  const found = files.flatMap((path) => {
    const [allowed = []] = ALLOWED[path] ?? [];
    return [...namesIn(readFileSync(join(ROOT, path), 'utf8'), path)]
      .filter((name) => !allowed.includes(name))
      .map((name) => `${path}: ${name}`);
  });
  assert.deepEqual(found, []);
});

test('every exception is needed', () => {
  const unused = Object.entries(ALLOWED).flatMap(([path, [names]]) => {
    const found = namesIn(readFileSync(join(ROOT, path), 'utf8'), path);
    return names.filter((name) => !found.has(name)).map((name) => `${path}: ${name}`);
  });
  assert.deepEqual(unused, []);
});

test('names are found in lists, comparisons, keys and patterns, and not in sentences', () => {
  const cases = [
    "const LAYERED = new Set(['gpkg', 'dxf']);",
    "if (format === 'shp') stop();",
    "const all = 'csv xlsx'.split(' ');",
    'const titles = { gpkg: 1 };',
    'if (/\\.(?:shp|dbf)$/.test(name)) stop();',
    'const id = `geojson`;',
    "path.endsWith('.kml')",
  ];
  for (const code of cases) assert.notEqual(namesIn(code).size, 0, code);
  for (const code of ["say('write a csv file');", "import './csv/format.ts';", '/** Not gpkg. */', "f('x')"])
    assert.equal(namesIn(code).size, 0, code);
});

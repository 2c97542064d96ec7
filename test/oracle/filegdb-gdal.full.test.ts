/**
 * File geodatabases against GDAL's driver OpenFileGDB, layer by layer, row by row, field by field, position by position: the fixtures, and the files beside
 * the checkout. Where the two differ for a reason, the reason is in docs/formats/filegdb.md.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import { reader } from '../../packages/formats/src/filegdb/read.ts';
import { fixturesOf } from '../support/fixtures.ts';
import { type ReadLayer, readFileLayers } from '../support/read-layers.ts';
import { type GdalLayer, type GdalRow, gdalFacts, withoutGdal } from './gdal-facts.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/filegdb');
const corpus = existsSync(CORPUS) ? globSync('*/*.zip', { cwd: CORPUS }).sort() : [];
const files = [...fixturesOf('filegdb').map(({ path }) => path), ...corpus.map((path) => join(CORPUS, path))];

/** Files that are refused, by the start of their name, and why; `layer`: that the others can be read by their names. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  'with_cdf.gdb.zip': /compressed \(CDF\)/,
  // The file of its catalogue is missing.
  'featuredataset.gdb.zip': /catalogue of tables.*is missing/,
  'Domains.gdb.zip': /row index.*is missing/,
};

/** Row numbers and types of ArcGIS Pro 3.2, and a catalogue with a table that has no file, on which GDAL 3.6 fails. */
const NEWER: ReadonlySet<string> = new Set([
  'pro.gdb.zip',
  '3features.gdb.zip',
  'TestPro32.gdb.zip',
  'relationships.gdb.zip',
]);

test('files of other programs are beside the checkout', {
  skip: corpus.length > 0 ? false : 'they are not',
}, () => {});

for (const path of files) {
  const name = basename(path);
  const refusal = REFUSED[name];
  if (refusal !== undefined) {
    test(`${name} is refused`, () => assert.rejects(readFileLayers(reader, path), refusal));
    continue;
  }
  test(`${name} has the layers, rows and values that GDAL finds`, {
    skip: withoutGdal !== false ? withoutGdal : NEWER.has(name) ? 'it needs a newer GDAL' : false,
  }, async () => {
    const { layers: expected } = await gdalFacts(path);
    const { layers } = await readFileLayers(reader, path, { tables: expected.map((layer) => layer.name) });
    assert.deepEqual(
      layers.map(({ source }) => source.name).sort(),
      expected.map((layer) => layer.name).sort(),
    );
    for (const layer of layers) {
      const other = expected.find((one) => one.name === layer.source.name);
      assert.ok(other);
      compare(layer, other, `${name} ${layer.source.name}`);
    }
  });
}

function compare({ fields, rows, source }: ReadLayer, expected: GdalLayer, where: string): void {
  assert.deepEqual(
    fields.map(({ name }) => name),
    expected.fields.map(({ name }) => name),
    where,
  );
  assert.equal(rows.length, expected.rows.length, where);
  assert.equal(source.featureCount ?? rows.length, rows.length, where);
  for (const [i, row] of rows.entries()) {
    const other = expected.rows[i];
    for (const [n, field] of fields.entries()) {
      const at = `${where}, row ${row.id}, ${field.name}`;
      compareValues(row.properties[field.name], other.values[n], expected.fields[n].type, at);
    }
    compareGeometries(row.geometry, other, `${where}, row ${row.id}`);
  }
}

function compareValues(own: unknown, expected: GdalRow['values'][number], type: string, where: string): void {
  if (expected === null || own === null) {
    assert.equal(own, expected, where);
    return;
  }
  if (typeof expected === 'number') assert.equal(Number(own), expected, where);
  else if (/^Date|^Time/.test(type))
    assert.ok(Math.abs(timeMs(String(own)) - timeMs(expected)) <= 1000, `${where}: ${own} for ${expected}`);
  else if (type === 'Binary') assert.equal(String(own).toUpperCase(), expected, where);
  else assert.equal(String(own), expected, where);
}

/** Of both spellings, without the offset. GDAL rounds to seconds, and times before 1970 to the next one. */
function timeMs(text: string): number {
  const plain = text.replaceAll('/', '-').replace('T', ' ');
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)?\s*(\d\d:\d\d:\d\d(?:\.\d+)?)?/.exec(plain) ?? [];
  return Date.parse(`${day ?? '2000-01-01'}T${clock ?? '00:00:00'}Z`);
}

/** Geometries of GDAL that have curves. It makes steps of its own of Bezier curves and elliptic arcs, so that a geometry has other positions than ours. */
const CURVES = /CURVE|CIRCULAR|SURFACE/;
const STROKED: ReadonlySet<string> = new Set(['curves.gdb.zip']);

function compareGeometries(own: string | null, { geometry: expected }: GdalRow, where: string): void {
  if (expected === null || own === null) {
    // GDAL reads points of all null ordinates, and empty polygons, as null or as empty.
    assert.equal(isNothing(own), isNothing(expected), `${where}: ${own} for ${expected}`);
    return;
  }
  if (CURVES.test(expected) || [...STROKED].some((name) => where.startsWith(name))) {
    const [a, b] = [boxOf(own), boxOf(expected)];
    const size = Math.max(b[2] - b[0], b[3] - b[1]);
    // Control positions lie on arcs; between them an arc can be wider.
    for (const [i, side] of b.entries()) {
      const isOutside = i < 2 ? a[i] <= side + 0.002 * size : a[i] >= side - 0.002 * size;
      assert.ok(isOutside, `${where}: ${a.join()} for ${b.join()}`);
    }
    return;
  }
  assert.deepEqual(positionsOf(own), positionsOf(expected), where);
}

function isNothing(wkt: string | null): boolean {
  return wkt === null || wkt.endsWith('EMPTY');
}

/** Positions without measures in an order that does not depend on that of rings and on their beginnings. */
function positionsOf(wkt: string): string[] {
  const hasZ = /^\w+ ZM? /.test(wkt);
  const found = [...wkt.matchAll(/-?\d[\d.e+-]*(?: -?\d[\d.e+-]*)+/g)].map(([text]) =>
    text
      .split(' ')
      .slice(0, hasZ ? 3 : 2)
      .map((number) =>
        Number(number)
          .toFixed(6)
          .replace(/^-(?=0\.0*$)/, ''),
      )
      .join(' '),
  );
  return [...new Set(found)].sort();
}

function boxOf(wkt: string): readonly [number, number, number, number] {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const position of positionsOf(wkt)) {
    const [x, y] = position.split(' ').map(Number);
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  }
  return box;
}

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { batchArbitrary, geometryColumn } from '../../../test/support/geometry-arbitrary.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { batchRows } from '../../../test/support/rows.ts';
import { ColumnBuilder } from '../../core/src/columns/attribute-column.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { batchStatistics } from '../../core/src/columns/statistics.ts';
import { WGS84_DESCRIPTION as wgs84 } from '../../core/src/crs/wgs84.ts';
import { type Finding, Findings } from '../../core/src/messages/findings.ts';
import { reader } from '../src/csv/read.ts';
import { writer } from '../src/csv/write.ts';
import type { OutputLayer } from '../src/writer.ts';

interface Written {
  readonly text: string;
  readonly findings: readonly Finding[];
}

async function write(
  batch: FeatureBatch,
  options: Record<string, unknown> = {},
  layer: Partial<OutputLayer> = {},
): Promise<Written> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-csv-'));
  try {
    const findings = new Findings();
    const context = { name: 'out', options, findings };
    const encodings = writer.plan(
      [
        {
          name: 'roads',
          fields: batch.fields,
          statistics: batchStatistics(batch, 'fields'),
          crs: wgs84,
          coordinatesComputed: false,
          ...layer,
        },
      ],
      context,
    );
    const path = join(directory, 'out.csv');
    const sink = writer.createSink(path, encodings, context);
    const chunk = writer.encode(batch, encodings[0]);
    findings.merge(chunk.findings);
    sink.append(0, chunk.data);
    assert.deepEqual(readdirSync(directory), ['out.csv.partial']);
    const file = await sink.finish();
    const text = readFileSync(path, 'utf8');
    assert.equal(file.byteLength, Buffer.byteLength(text));
    return { text, findings: findings.list() };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const point = { ordinates: 'XY', shape: { kind: 1, isMulti: false, parts: [[[[1.5, -2, 0, 0]]]] } } as const;
const line = {
  ordinates: 'XYZ',
  shape: {
    kind: 2,
    isMulti: false,
    parts: [
      [
        [
          [0.1, 0.2, 3, 0],
          [1 / 3, 4, 5, 0],
        ],
      ],
    ],
  },
} as const;

function textBatch(name: string, ...texts: (string | null)[]): FeatureBatch {
  const builder = new ColumnBuilder('string');
  for (const text of texts) text === null ? builder.appendNull() : builder.appendText(text);
  return {
    rowCount: texts.length,
    geometry: geometryColumn(texts.map((_, i) => (i % 2 === 0 ? point : line))),
    fields: [{ name, type: 'string' }],
    columns: [builder.finish()],
    ids: null,
  };
}

test('quotes text only if necessary and distinguishes null from empty', async () => {
  const { text } = await write(textBatch('a,b', 'plain', 'a,b', 'say "x"', 'two\nlines', ' edge', '', null));
  assert.deepEqual(text.split('\n').slice(0, 3), [
    '"a,b",geom_wkt',
    'plain,POINT (1.5 -2)',
    '"a,b","LINESTRING Z (0.1 0.2 3,0.3333333333333333 4 5)"',
  ]);
  assert.ok(text.includes('"say ""x""",POINT'));
  assert.ok(text.includes('"two\nlines","LINESTRING'));
  assert.ok(text.includes('\n" edge",POINT'));
  assert.ok(text.includes('\n"","LINESTRING'));
  assert.ok(text.endsWith('\n,POINT (1.5 -2)\n'));
});

test('does not quote geometries if the delimiter is not a comma', async () => {
  const { text } = await write(textBatch('a', 'x,y', 'x;y'), { delimiter: 'semicolon', precision: 7 });
  assert.equal(text, 'a;geom_wkt\nx,y;POINT (1.5 -2)\n"x;y";LINESTRING Z (0.1 0.2 3,0.3333333 4 5)\n');
});

test('writes computed degrees with 7 decimals, other computed coordinates with 15 digits', async () => {
  const { text } = await write(textBatch('a', null, null), {}, { coordinatesComputed: true });
  assert.ok(text.includes('0.3333333 4 5'));
  const crs = { ...wgs84, kind: 'projected', unitFactor: 1 } as const;
  const metres = await write(textBatch('a', null, null), {}, { coordinatesComputed: true, crs });
  assert.ok(metres.text.includes('0.333333333333333 4 5'));
});

test('renames a field named like the geometry column and reports that the CRS is not stored', async () => {
  const crs = { ...wgs84, definition: 'EPSG:28350', authority: { name: 'EPSG', code: '28350' } };
  const { text, findings } = await write(textBatch('geom_wkt', 'x'), {}, { crs });
  assert.equal(text, 'geom_wkt_1,geom_wkt\nx,POINT (1.5 -2)\n');
  assert.deepEqual(
    findings.map(({ code, params }) => [code, params.to ?? params.crs]),
    [
      ['FIELD_RENAMED', 'geom_wkt_1'],
      ['CRS_NOT_WRITTEN', 'EPSG:28350'],
    ],
  );
});

test('drops and counts feature ids that are not written as a field', async () => {
  const ids = new ColumnBuilder('string');
  ids.appendText('w1');
  ids.appendNull();
  const { text, findings } = await write({ ...textBatch('a', 'x', 'y'), ids: ids.finish() });
  assert.match(text, /^a,geom_wkt\nx,/);
  assert.deepEqual(
    findings.map(({ code, count }) => [code, count]),
    [['IDS_DROPPED', 2]],
  );
});

test('adds a delimiter after a geometry column without fields, so that GDAL opens the file and no row is blank', async () => {
  const none = { ordinates: 'XY', shape: null } as const;
  const batch = { rowCount: 2, geometry: geometryColumn([none, point]), fields: [], columns: [], ids: null };
  const { text } = await write(batch);
  assert.equal(text, 'geom_wkt,\n,\nPOINT (1.5 -2),\n');
  const { layers } = await readBytesLayers(reader, text);
  assert.deepEqual(
    layers[0].rows.map(({ geometry }) => geometry),
    [null, 'POINT (1.5 -2)'],
  );
});

test('leaves no file after an abort', () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-csv-'));
  const context = { name: 'out', options: {}, findings: new Findings() };
  const state = { delimiter: 0x2c, significantDigits: null, header: 'geom_wkt\n' };
  const sink = writer.createSink(join(directory, 'out.csv'), [{ fields: [], state }], context);
  sink.append(0, new Uint8Array(10));
  sink.abort();
  assert.deepEqual(readdirSync(directory), []);
  rmSync(directory, { recursive: true });
});

test('random batches survive writing and reading', async () => {
  await fc.assert(
    fc.asyncProperty(batchArbitrary, fc.constantFrom('comma', 'tab', 'pipe'), async (batch, delimiter) => {
      const { text } = await write(batch, { delimiter });
      const { layers } = await readBytesLayers(reader, text, { options: { delimiter } });
      const expected = batchRows(batch);
      const actual = layers[0].rows;
      assert.equal(actual.length, expected.length);
      expected.forEach((row, i) => {
        assert.equal(actual[i].geometry, row.geometry);
        for (const { name, type } of batch.fields) {
          const value = actual[i].properties[name];
          const wanted = row.properties[name];
          // CSV has no types: json is read back as its text, and text that looks like a number as a number.
          if (type === 'json' || type === 'string')
            assert.equal(asText(value), typeof value === 'number' ? String(Number(wanted)) : asText(wanted));
          else assert.deepEqual(value, wanted, name);
        }
      });
    }),
    { numRuns: 200 },
  );
});

function asText(value: unknown): string {
  if (value === null || value === '') return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

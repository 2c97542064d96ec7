/** GeoPackage layers of single and multi geometries: `output.promote`. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import fc from 'fast-check';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { type Geometry, geometryColumn, simpleArbitrary } from '../../../test/support/geometry-arbitrary.ts';
import { ColumnBuilder } from '../../core/src/columns/attribute-column.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { writer } from '../src/gpkg/write.ts';

interface Feature {
  readonly geometry: Geometry;
  readonly id: number | null;
}

interface Written {
  readonly declared: string;
  readonly column: string;
  readonly blobs: ReadonlyMap<number, Buffer | null>;
  readonly promoted: number;
}

/** Writes a layer, one batch for each list of features. */
async function write(batches: readonly (readonly Feature[])[], promote: boolean): Promise<Written> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'out.gpkg');
  const findings = new Findings();
  const context = { name: 'out', options: { promote }, findings };
  const layer = {
    name: 'x',
    fields: [],
    statistics: null,
    crs: WGS84_DESCRIPTION,
    coordinatesComputed: false,
  };
  const encodings = writer.plan([layer], context);
  const sink = writer.createSink(path, encodings, context);
  for (const features of batches) {
    const ids = new ColumnBuilder('int32');
    for (const { id } of features) id === null ? ids.appendNull() : ids.appendNumber(id);
    const geometry = geometryColumn(features.map((feature) => feature.geometry));
    const hasIds = features.some(({ id }) => id !== null);
    const batch = { rowCount: features.length, geometry, fields: [], columns: [] };
    sink.append(0, writer.encode({ ...batch, ids: hasIds ? ids.finish() : null }, encodings[0]).data);
  }
  await sink.finish();
  using database = new DatabaseSync(path, { readOnly: true });
  const one = (sql: string): string => String(Object.values(database.prepare(sql).get() ?? {})[0]);
  const rows = database.prepare('SELECT fid, geom FROM x').all() as {
    fid: number;
    geom: Uint8Array | null;
  }[];
  assert.equal(one('PRAGMA integrity_check'), 'ok');
  assert.equal(one("SELECT rtreecheck('rtree_x_geom')"), 'ok');
  return {
    declared: one('SELECT geometry_type_name FROM gpkg_geometry_columns'),
    column: one("SELECT type FROM pragma_table_info('x') WHERE name = 'geom'"),
    blobs: new Map(rows.map(({ fid, geom }) => [fid, geom === null ? null : Buffer.from(geom)])),
    promoted: findings.list().find(({ code }) => code === 'GEOMETRIES_PROMOTED')?.count ?? 0,
  };
}

const wkbStart = (blob: Buffer): number => ((blob[3] & 2) === 0 ? 8 : 40);
const typeOf = (blob: Buffer): number => blob.readUInt32LE(wkbStart(blob) + 1);

/** The blob of a single geometry as multi geometry, put together from its parts. */
function asMulti(blob: Buffer): Buffer {
  const start = wkbStart(blob);
  const isEmpty = blob.readUInt32LE(start + 5) === 0;
  const head = Buffer.alloc(9);
  head[0] = 1;
  head.writeUInt32LE(typeOf(blob) + 3, 1);
  head.writeUInt32LE(isEmpty ? 0 : 1, 5);
  return Buffer.concat([blob.subarray(0, start), head, isEmpty ? Buffer.of() : blob.subarray(start)]);
}

test('a layer of single and multi lines or polygons becomes multi; any other layer keeps its geometries', async () => {
  const kinds = fc.constantFrom<readonly (1 | 2 | 3)[]>([1], [2], [3], [2, 3], [1, 2, 3]);
  const batches = kinds.chain((allowed) => {
    const simple = fc.constantFrom(...allowed).chain(simpleArbitrary);
    const geometry = fc.record({
      ordinates: fc.constantFrom('XY', 'XYZ', 'XYM', 'XYZM'),
      shape: fc.oneof({ weight: 9, arbitrary: simple }, { weight: 1, arbitrary: fc.constant(null) }),
    });
    const id = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 30 }));
    return fc.array(fc.array(fc.record({ geometry, id }), { maxLength: 5 }), { maxLength: 5 });
  });
  await fc.assert(
    fc.asyncProperty(batches, async (features) => {
      const kept = await write(features, false);
      const promoted = await write(features, true);
      const types = new Set([...kept.blobs.values()].flatMap((blob) => (blob ? [typeOf(blob) % 1000] : [])));
      const isLines = types.size === 2 && types.has(2) && types.has(5);
      const isPolygons = types.size === 2 && types.has(3) && types.has(6);
      const isPromoted = isLines || isPolygons;
      let changed = 0;
      const expected = [...kept.blobs].map(([fid, blob]): [number, Buffer | null] => {
        if (blob === null || !isPromoted || typeOf(blob) % 1000 > 3) return [fid, blob];
        changed++;
        return [fid, asMulti(blob)];
      });
      assert.deepEqual(promoted.blobs, new Map(expected));
      assert.equal(promoted.promoted, changed);
      const declared = isLines ? 'MULTILINESTRING' : isPolygons ? 'MULTIPOLYGON' : kept.declared;
      assert.deepEqual([promoted.declared, promoted.column], [declared, declared]);
    }),
    { numRuns: 60 },
  );
});

test('restores single geometries where a later feature has another type', async () => {
  const square = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ].map(([x, y]) => [x, y, 0, 0] as const);
  const polygon = (isMulti: boolean): Geometry => ({
    ordinates: 'XY',
    shape: { kind: 3, isMulti, parts: [[square]] },
  });
  const point: Geometry = { ordinates: 'XY', shape: { kind: 1, isMulti: false, parts: [[[[5, 5, 0, 0]]]] } };
  const feature = (geometry: Geometry, id: number | null = null): Feature => ({ geometry, id });
  const before = [feature(polygon(true), 10), feature(polygon(false), 20)];
  // The key 15 is within the promoted rows 12 to 20 and out of order; it is a multi polygon of the input.
  const layers = [
    [before, [feature(polygon(true), 15)], [feature(point)]],
    [[feature(polygon(true))], [feature(polygon(false)), feature(polygon(false))], [feature(point)]],
    [
      [
        feature(polygon(false), 1),
        feature(polygon(true), 2),
        feature(polygon(false), 9),
        feature(polygon(false), 30),
      ],
      [feature(polygon(true), 12), feature(polygon(false), 13)],
      [feature(point)],
    ],
  ];
  for (const features of layers)
    assert.deepEqual((await write(features, true)).blobs, (await write(features, false)).blobs);
});

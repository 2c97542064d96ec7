import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { ArcStore } from '../src/topojson/arc-store.ts';
import { AttributeSpool } from '../src/topojson/attribute-spool.ts';
import { reader } from '../src/topojson/read.ts';

const encoder = new TextEncoder();
const read = (text: string) => readBytesLayers(reader, encoder.encode(text), { name: 'x.topojson' });
type Position = number[];
type Ring = Position[];

const withLine = (arcs: string, geometry: string): string =>
  `{"type":"Topology","objects":{"a":${geometry}},"arcs":${arcs}}`;

/** `@` marks the byte that the error must name. */
const bad: readonly (readonly [what: string, text: string, code: string])[] = [
  ['an empty file', '', 'INPUT_EMPTY'],
  ['an array', '[1]', 'INPUT_WRONG_FORMAT'],
  ['GeoJSON', '{"type":"FeatureCollection","features":[]}', 'INPUT_WRONG_FORMAT'],
  ['another type', '{"type":"topology","objects":{},"arcs":[]}', 'INPUT_WRONG_FORMAT'],
  ['no type', '{"objects":{},"arcs":[]}', 'INPUT_WRONG_FORMAT'],
  ['no objects', '@{"type":"Topology","arcs":[]}', 'TOPOJSON_STRUCTURE'],
  ['objects twice', '{"type":"Topology","objects":{},"objects":@{}}', 'TOPOJSON_STRUCTURE'],
  ['objects that are a list', '{"type":"Topology","objects":@[]}', 'TOPOJSON_STRUCTURE'],
  ['an object that is null', '{"type":"Topology","objects":{"a":@null}}', 'TOPOJSON_STRUCTURE'],
  ['arcs that are no list', '{"type":"Topology","objects":{},"arcs":@{}}', 'TOPOJSON_STRUCTURE'],
  ['an arc that is a number', '{"type":"Topology","objects":{},"arcs":[@1]}', 'TOPOJSON_STRUCTURE'],
  ['a position that is a text', '{"type":"Topology","objects":{},"arcs":[[[@"1",2]]]}', 'TOPOJSON_SYNTAX'],
  ['a position of one number', '{"type":"Topology","objects":{},"arcs":[[@[1]]]}', 'TOPOJSON_STRUCTURE'],
  ['NaN', '{"type":"Topology","objects":{},"arcs":[[[@NaN,1]]]}', 'TOPOJSON_SYNTAX'],
  ['a number too large', '{"type":"Topology","objects":{},"arcs":[[[@1e999,1]]]}', 'TOPOJSON_STRUCTURE'],
  ['a transform without scale', '{"type":"Topology","transform":@{"translate":[1,2]}}', 'TOPOJSON_STRUCTURE'],
  [
    'a transform that makes arcs infinite',
    '{"type":"Topology","transform":@{"scale":[1e308,1],"translate":[0,0]},"objects":{},"arcs":[[[99,0],[1,1]]]}',
    'TOPOJSON_STRUCTURE',
  ],
  [
    'a transform that makes points infinite',
    '{"type":"Topology","transform":{"scale":[1e308,1],"translate":[0,0]},"objects":{"a":{"type":"Point","coordinates":@[99,0]}}}',
    'TOPOJSON_STRUCTURE',
  ],
  ['a comma at the end', '{"type":"Topology","objects":{},@}', 'TOPOJSON_SYNTAX'],
  ['a comma at the end of arcs', '{"type":"Topology","arcs":[[],@]}', 'TOPOJSON_SYNTAX'],
  ['text after the end', '{"type":"Topology","objects":{}} @x', 'TOPOJSON_STRUCTURE'],
  ['a cut file', '{"type":"Topology","objects":{"a":{"type":"Point",@"coordina', 'TOPOJSON_SYNTAX'],
  ['a wrong type of geometry', withLine('[]', '{"type":@"Line","arcs":[0]}'), 'TOPOJSON_STRUCTURE'],
  ['no type of a geometry', withLine('[]', '@{"arcs":[0]}'), 'TOPOJSON_STRUCTURE'],
  ['no arcs', withLine('[]', '@{"type":"LineString"}'), 'TOPOJSON_STRUCTURE'],
  ['a collection without geometries', withLine('[]', '@{"type":"GeometryCollection"}'), 'TOPOJSON_STRUCTURE'],
  ['no coordinates', withLine('[]', '@{"type":"Point","arcs":[0]}'), 'TOPOJSON_STRUCTURE'],
  [
    'an arc beyond the last',
    withLine('[[[0,0],[1,1]]]', '{"type":"LineString","arcs":[0,@1]}'),
    'TOPOJSON_STRUCTURE',
  ],
  [
    'an arc before the first',
    withLine('[[[0,0],[1,1]]]', '{"type":"LineString","arcs":[@-2]}'),
    'TOPOJSON_STRUCTURE',
  ],
  ['half an arc', withLine('[[[0,0],[1,1]]]', '{"type":"LineString","arcs":[@0.5]}'), 'TOPOJSON_STRUCTURE'],
  [
    'an arc of a polygon',
    withLine('[[[0,0],[1,1]]]', '{"type":"Polygon","arcs":[@0]}'),
    'TOPOJSON_STRUCTURE',
  ],
  [
    'an arc that is a text',
    withLine('[[[0,0],[1,1]]]', '{"type":"LineString","arcs":[@"0"]}'),
    'TOPOJSON_STRUCTURE',
  ],
  ['properties that are a list', withLine('[]', '{"type":null,"properties":@[]}'), 'TOPOJSON_STRUCTURE'],
  [
    'a feature that is null',
    withLine('[]', '{"type":"GeometryCollection","geometries":[@null]}'),
    'TOPOJSON_STRUCTURE',
  ],
];

test('what is no TopoJSON is rejected, with the byte', async (t) => {
  for (const [what, marked, code] of bad)
    await t.test(what, async () => {
      const at = marked.indexOf('@');
      await assert.rejects(read(marked.replace('@', '')), (error: unknown) => {
        assert.ok(error instanceof GeomillError, String(error));
        assert.equal(error.code, code, error.message);
        if (at >= 0)
          assert.equal(error.location?.offset, Buffer.byteLength(marked.slice(0, at)), error.message);
        return true;
      });
    });
});

test('a text cut anywhere is an error with a code', async () => {
  const whole = readFileSync(join(import.meta.dirname, '../../../test/fixtures/topojson/objects.topojson'));
  for (let length = 1; length < whole.length - 2; length += 7)
    await assert.rejects(
      readBytesLayers(reader, whole.subarray(0, length), { name: 'x.topojson' }),
      (error: unknown) => error instanceof GeomillError && /^(TOPOJSON_|INPUT_|TEXT_)/.test(error.code),
    );
});

test('texts longer than the window are read', async () => {
  const geometries = Array.from({ length: 40_000 }, (_, i) => ({
    type: 'LineString',
    arcs: [i % 2 === 0 ? 0 : -1, 1],
    properties: { i, text: 'x'.repeat(i % 97) },
  }));
  const arcs = Array.from({ length: 60_000 }, (_, i) =>
    i < 2
      ? [
          [0, 0],
          [0, 1],
        ]
      : [
          [i / 7, 1],
          [i / 3, 2],
        ],
  );
  for (const parts of [
    { arcs, objects: { a: { type: 'GeometryCollection', geometries } } },
    { objects: { a: { geometries, type: 'GeometryCollection' } }, arcs },
  ]) {
    const { layers } = await read(JSON.stringify({ type: 'Topology', ...parts }));
    assert.equal(layers[0].rows.length, 40_000);
    assert.equal(layers[0].source.featureCount, 40_000);
    assert.equal(layers[0].rows[39_998].properties.i, 39_998);
    assert.equal(layers[0].rows[39_999].geometry, 'LINESTRING (0 1,0 0,0 1)');
  }
});

test('the memory for arcs and for positions of a batch is limited', async () => {
  const store = new ArcStore('x.topojson', 1);
  const many = new Float64Array(1 << 14);
  assert.throws(() => store.append(many, many.length, 'XY', Uint32Array.of(many.length / 2), 1), {
    code: 'TOPOJSON_ARCS_TOO_LARGE',
  });
  const line = JSON.stringify(Array.from({ length: 400_000 }, (_, i) => [i % 2, 0]));
  const geometries = `{"type":"LineString","arcs":[0]},`.repeat(45).slice(0, -1);
  await assert.rejects(
    read(
      `{"type":"Topology","objects":{"a":{"type":"GeometryCollection","geometries":[${geometries}]}},"arcs":[${line}]}`,
    ),
    { code: 'TOPOJSON_REUSE_TOO_LARGE' },
  );
});

test('attributes that are too many for memory come back from a file', () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'spool');
  const spool = new AttributeSpool(path, 10);
  const texts = ['one', 'two', '', 'three and more', 'four'];
  for (const text of texts) spool.append(encoder.encode(text));
  assert.deepEqual(
    [...spool.texts()].map((text) => new TextDecoder().decode(text)),
    texts,
  );
  spool.discard();
  assert.deepEqual(workspace.entries(), []);
});

/** Neighbouring cells of a grid, some joined, so that borders are shared in every way. */
const cells = fc
  .array(
    fc.record({
      x: fc.nat(4),
      y: fc.nat(4),
      width: fc.integer({ min: 1, max: 3 }),
      start: fc.nat(3),
      turn: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) => all.map(({ x, y, width, start, turn }) => cell(x, y, width, start, turn)));

/** A rectangle with a position at each crossing of the grid; begins anywhere, in either direction. */
function cell(x: number, y: number, width: number, start: number, turn: boolean): Ring {
  const ring: Ring = [];
  for (let i = 0; i < width; i++) ring.push([x + i, y]);
  ring.push([x + width, y], [x + width, y + 1]);
  for (let i = width - 1; i >= 0; i--) ring.push([x + i, y + 1]);
  const scaled = ring.map(([a, b]) => [a * 1.1 + 0.3, b * 0.7]);
  const begun = [...scaled.slice(start), ...scaled.slice(0, start)];
  if (turn) begun.reverse();
  return [...begun, begun[0]];
}

const signedArea = (ring: Ring): number =>
  ring.slice(1).reduce((sum, [x, y], i) => sum + ring[i][0] * y - x * ring[i][1], 0);

/** The ring from its lowest position on, counter-clockwise. */
function normal(ring: Ring): Ring {
  const open = (signedArea(ring) < 0 ? [...ring].reverse() : ring).slice(0, -1);
  const keys = open.map(([x, y]) => x * 1e6 + y);
  const first = keys.indexOf(Math.min(...keys));
  return [...open.slice(first), ...open.slice(0, first)];
}

async function topologyOf(
  features: readonly object[],
  options: Record<string, unknown> = {},
  threads = 0,
): Promise<{ readonly text: string; readonly topology: Topology }> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'cells.geojson');
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const { outputPath } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'topojson',
    writeOptions: options,
    threads,
  });
  const text = readFileSync(outputPath, 'utf8');
  return { text, topology: JSON.parse(text) as Topology };
}

const polygonOf = (ring: Ring, i: number): object => ({
  type: 'Feature',
  id: i,
  properties: { i },
  geometry: { type: 'Polygon', coordinates: [ring] },
});

const collectionOf = ({ objects }: Topology): GeometryCollection => objects.cells as GeometryCollection;

function edgesOf(line: Ring): string[] {
  return line.slice(1).map((end, i) => [line[i], end].map(String).sort().join(' '));
}

/** The decoded arcs, of which a mesh of the topology is made. */
function arcsOf(topology: Topology): Ring[] {
  const objects = {
    all: {
      type: 'GeometryCollection' as const,
      geometries: topology.arcs.map((_, i) => ({ type: 'LineString' as const, arcs: [i] })),
    },
  };
  return feature({ ...topology, objects }, objects.all).features.map(
    ({ geometry }) => (geometry as { coordinates: Ring }).coordinates,
  );
}

test('topojson-client gives the polygons back, and each edge is in one arc', async () => {
  await fc.assert(
    fc.asyncProperty(cells, async (rings) => {
      const { topology } = await topologyOf(rings.map(polygonOf));
      const found = feature(topology, collectionOf(topology)).features;
      assert.deepEqual(
        found.map(({ id, properties, geometry }) => ({ id, properties, type: geometry.type })),
        rings.map((_, i) => ({ id: i, properties: { i }, type: 'Polygon' })),
      );
      found.forEach(({ geometry }, i) => {
        const [ring] = (geometry as unknown as { coordinates: Ring[] }).coordinates;
        assert.ok(signedArea(ring) < 0, 'shells are clockwise');
        assert.deepEqual(normal(ring), normal(rings[i]));
      });
      const written = arcsOf(topology).flatMap(edgesOf);
      assert.deepEqual([...written].sort(), [...new Set(rings.flatMap(edgesOf))].sort());
      const outline = mesh(topology, collectionOf(topology)).coordinates.flatMap((line) => edgesOf(line));
      assert.deepEqual(outline.sort(), written.sort());
    }),
    { numRuns: 60 },
  );
});

test('on a grid no position moves by more than half a step', async () => {
  await fc.assert(
    fc.asyncProperty(cells, fc.integer({ min: 60, max: 1e6 }), async (rings, quantization) => {
      const { topology } = await topologyOf(rings.map(polygonOf), { quantization });
      const { scale } = topology.transform as { scale: number[] };
      const found = feature(topology, collectionOf(topology)).features;
      found.forEach(({ geometry }, i) => {
        const ring = (geometry as unknown as { coordinates: Ring[] }).coordinates[0];
        const expected = [...rings[i]];
        for (const [x, y] of ring)
          assert.ok(
            expected.some(
              ([a, b]) => Math.abs(a - x) <= scale[0] * 0.5000001 && Math.abs(b - y) <= scale[1] * 0.5000001,
            ),
          );
      });
      for (const arc of topology.arcs)
        for (const [x, y] of arc) assert.ok(Number.isInteger(x) && Number.isInteger(y));
      const edges = arcsOf(topology).flatMap(edgesOf);
      assert.equal(new Set(edges).size, edges.length);
    }),
    { numRuns: 30 },
  );
});

test('geometries of all kinds come back', async () => {
  const geometries = [
    null,
    { type: 'Point', coordinates: [1, 2, 3] },
    {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4, 5],
      ],
    },
    {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 0],
        [1, 1],
        [1, 0],
        [2, 0],
      ],
    },
    {
      type: 'LineString',
      coordinates: [
        [2, 0],
        [1, 0],
        [0, 0],
      ],
    },
    {
      type: 'LineString',
      coordinates: [
        [5, 5],
        [6, 6],
        [5, 6],
        [5, 5],
      ],
    },
    {
      type: 'LineString',
      coordinates: [
        [0, 0, 1],
        [1, 0, 1],
      ],
    },
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [0, 0],
          [1, 0],
        ],
        [
          [7, 7],
          [7, 7],
        ],
      ],
    },
    {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [5, 5],
            [5, 6],
            [6, 6],
            [5, 5],
          ],
        ],
        [
          [
            [0, 0],
            [0, 9],
            [9, 9],
            [0, 0],
          ],
          [
            [1, 2],
            [2, 4],
            [1, 4],
            [1, 2],
          ],
        ],
      ],
    },
    {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [1, 2] },
        {
          type: 'LineString',
          coordinates: [
            [1, 0],
            [1, 1],
          ],
        },
      ],
    },
  ];
  const { topology } = await topologyOf(
    geometries.map((geometry, i) => ({
      type: 'Feature',
      id: `f${i}`,
      properties: { deep: { i } },
      geometry,
    })),
  );
  const found = feature(topology, collectionOf(topology)).features;
  assert.deepEqual(
    found.map(({ geometry }) => geometry),
    geometries,
  );
  assert.deepEqual(
    found.map(({ id, properties }) => [id, properties]),
    geometries.map((_, i) => [`f${i}`, { deep: { i } }]),
  );
});

test('rings that are equal share an arc, whatever their start and direction; rings that only contain one another do not', async () => {
  const ring = [
    [0, 0],
    [0, 1],
    [1, 1],
    [1, 0],
    [0, 0],
  ];
  const turned = [
    [1, 1],
    [0, 1],
    [0, 0],
    [1, 0],
    [1, 1],
  ];
  const twice = [...ring, ...ring.slice(1)];
  const { topology } = await topologyOf([ring, turned, twice].map(polygonOf));
  assert.deepEqual(
    collectionOf(topology).geometries.map((one) => (one as { arcs: number[][] }).arcs),
    [[[0]], [[0]], [[1]]],
  );
});

test('the output does not depend on the number of threads or of batches', async () => {
  const features = Array.from({ length: 3000 }, (_, i) =>
    polygonOf(cell(i % 50, Math.floor(i / 50), 1, i % 4, i % 3 === 0), i),
  );
  const one = await topologyOf(features, {}, 1);
  assert.equal((await topologyOf(features, {}, 3)).text, one.text);
  const edges = arcsOf(one.topology).flatMap(edgesOf);
  assert.equal(edges.length, 50 * 61 + 60 * 51);
});

test('layers are objects that share arcs', async () => {
  using workspace = makeWorkspace();
  const areas = join(workspace.path, 'areas.geojson');
  writeFileSync(
    areas,
    JSON.stringify({
      type: 'FeatureCollection',
      features: [cell(0, 0, 1, 0, false), cell(1, 0, 1, 2, true)].map((ring, i) => ({
        ...polygonOf(ring, i),
        properties: { kind: ['a', '__proto__'][i] },
      })),
    }),
  );
  const { outputPath } = await convertFile(areas, workspace.path, {
    from: 'geojson',
    to: 'topojson',
    split: { field: 'kind', into: 'layers' },
  });
  const topology = JSON.parse(readFileSync(outputPath, 'utf8')) as Topology;
  assert.equal(Object.keys(topology.objects).length, 2);
  assert.equal(topology.arcs.length, 3);
});

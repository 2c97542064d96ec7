/** MapInfo tables and MIF files: systems, objects that no free program writes, and damage. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import {
  coordinatePointer,
  i16,
  i32,
  type RawTab,
  writeRawTab,
  zeros,
} from '../../../test/support/raw-tab.ts';
import { type ReadInput, readBytesLayers, readFileLayers } from '../../../test/support/read-layers.ts';
import { readZipMembers } from '../../../test/support/zip-members.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Proj } from '../../engines/proj/src/proj.ts';
import { parseCoordSys } from '../src/mapinfo/coord-sys.ts';
import { coordSysOf } from '../src/mapinfo/coord-sys-of-crs.ts';
import { crsOfCoordSys } from '../src/mapinfo/crs-of-coord-sys.ts';
import { reader as mifReader } from '../src/mapinfo/read-mif.ts';
import { reader as tabReader } from '../src/mapinfo/read-tab.ts';

const proj = await Proj.load({ gridDirectory: null });
test('a system that MapInfo does not have becomes a plan', () => {
  for (const code of [3035, 4979, 4807])
    assert.equal(coordSysOf(proj.describe(`EPSG:${code}`, 'crs')).clause, null, `EPSG:${code}`);
  assert.equal(coordSysOf(proj.describe('EPSG:2263', 'crs')).plan, 'NonEarth Units "survey ft"');
});

test('a clause without a place on the Earth says why', () => {
  const reasons: readonly (readonly [string, RegExp])[] = [
    ['NonEarth Units "m" Bounds (0, 0) (1, 1)', /is a plan/],
    ['Layout Units "in"', /has no place on the Earth/],
    ['Table "a"', /has no place on the Earth/],
    ['Earth', /states no projection/],
    ['Earth Projection', /has no projection/],
    ['Earth Projection 8, 9876, "m", 9, 0, 1, 0, 0', /datum 9876 is not in the list/],
    ['Earth Projection 8, 104, "fathom", 9, 0, 1, 0, 0', /unknown unit/],
    ['Earth Projection 99, 104, "m", 9', /projection 99 is not known/],
    ['Earth Projection 8, 104, "m", 9, x', /no numbers/],
    ['Earth Projection 8, 999, 4', /without its parameters/],
    ['Earth Projection 8, 104, "m", 9, 0, 1, 0, 0 Affine Units "m", 1, 0, 0, 0, 1, 0', /affine/],
  ];
  for (const [clause, reason] of reasons) {
    const { crs, missingReason } = crsOfCoordSys(parseCoordSys(clause));
    assert.equal(crs, null, clause);
    assert.match(missingReason, reason, clause);
  }
});

async function readTab(raw: RawTab): Promise<ReadInput> {
  using workspace = makeWorkspace();
  return await readFileLayers(tabReader, writeRawTab(workspace.path, raw));
}

async function wktOf(raw: RawTab): Promise<(string | null)[]> {
  const { layers } = await readTab(raw);
  return layers[0].rows.map(({ geometry }) => geometry);
}

test('reads symbols, lines and rectangles, whole and compressed', async () => {
  assert.deepEqual(
    await wktOf({
      centre: [1000, 2000],
      objects: [
        { type: 0x02, record: [...i32(15, 25), 0] },
        { type: 0x01, record: [...i16(-5, 5), 0] },
        { type: 0x29, record: [35, 12, ...i16(0), ...zeros(8), ...i32(10, 20), 0] },
        { type: 0x2c, record: [0, 0, ...i32(30, 40), 0, 0] },
        { type: 0x05, record: [...i32(0, 0, 100, 50), 0] },
        { type: 0x04, record: [...i16(0, 0, 100, 50), 0] },
        { type: 0x14, record: [...i32(100, 100, 0, 0), 0, 0] },
        null,
      ],
    }),
    [
      'POINT (1.5 2.5)',
      'POINT (99.5 200.5)',
      'POINT (1 2)',
      'POINT (3 4)',
      'LINESTRING (0 0,10 5)',
      'LINESTRING (100 200,110 205)',
      'POLYGON ((0 0,10 0,10 10,0 10,0 0))',
      null,
    ],
  );
});

test('axes grow as the quadrant says', async () => {
  const places = await Promise.all(
    [1, 2, 3, 4, 0].map(async (quadrant) =>
      wktOf({ quadrant, objects: [{ type: 0x02, record: [...i32(15, 25), 0] }] }),
    ),
  );
  assert.deepEqual(places.flat(), [
    'POINT (1.5 2.5)',
    'POINT (-1.5 2.5)',
    'POINT (-1.5 -2.5)',
    'POINT (1.5 -2.5)',
    'POINT (-1.5 -2.5)',
  ]);
});

test('an arc runs counter-clockwise, whatever the quadrant', async () => {
  const arc = { type: 0x0b, record: [...i16(0, 900), ...i32(-100, -100, 100, 100), ...zeros(16), 0] };
  const ends = async (quadrant: number): Promise<string[]> => {
    const [wkt] = await wktOf({ quadrant, objects: [arc] });
    const positions = /\((.*)\)/.exec(wkt ?? '')?.[1].split(',') ?? [];
    assert.equal(positions.length, 46);
    return [positions[0], positions[positions.length - 1]];
  };
  assert.deepEqual(await ends(1), ['10 0', '0 10']);
  assert.deepEqual(await ends(2), ['0 10', '-10 0']);
  assert.deepEqual(await ends(4), ['0 -10', '10 0']);
  assert.deepEqual(await ends(3), ['-10 0', '0 -10']);
});

test('an ellipse and a rounded rectangle fill their boxes', async () => {
  const { layers, findings } = await readTab({
    objects: [
      { type: 0x1a, record: [...i32(0, 0, 200, 100), 0, 0] },
      { type: 0x17, record: [...i32(40, 20, 0, 0, 200, 100), 0, 0] },
    ],
  });
  for (const { geometry } of layers[0].rows) {
    const numbers = (/\(\((.*)\)\)/.exec(geometry ?? '')?.[1] ?? '').split(/[ ,]/).map(Number);
    const [xs, ys] = [0, 1].map((axis) => numbers.filter((_, i) => i % 2 === axis));
    assert.deepEqual([Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)], [0, 20, 0, 10]);
    assert.deepEqual(numbers.slice(0, 2), numbers.slice(-2));
  }
  assert.equal(findings.find(({ code }) => code === 'CURVES_STROKED')?.count, 2);
});

test('reads the objects of later versions: multipoints, collections, regions and lines with more sections', async () => {
  const head = zeros(24);
  const ring = i32(0, 0, 100, 0, 100, 100, 0, 0);
  const section800 = (vertices: number, sections: number): number[] => [
    ...i32(vertices, 0),
    ...zeros(16),
    ...i32(sections * 28),
  ];
  const section450 = (vertices: number, sections: number): number[] => [
    ...i32(vertices),
    ...i16(0),
    ...zeros(16),
    ...i32(sections * 28),
  ];
  const region = [...section800(4, 1), ...ring];
  const lines = [...section450(2, 1), ...i32(0, 0, 50, 50)];
  const points = i32(10, 20, 30, 40);
  const collection = [...head, ...section450(4, 1), ...ring, ...head, ...lines, ...head, ...points];
  const coordinates = [...region, ...lines, ...points, ...collection];
  const at = (before: readonly number[]): number => coordinatePointer(before.length);
  const wkt = await wktOf({
    coordinates,
    objects: [
      { type: 0x3e, record: [...i32(at([]), 0, 1), ...zeros(33), ...head, 0, 0] },
      { type: 0x32, record: [...i32(at(region), 0), ...i16(1), ...head, 0] },
      { type: 0x35, record: [...i32(at([...region, ...lines]), 2), ...zeros(15), 0, 0, ...head] },
      {
        type: 0x38,
        record: [
          ...i32(at([...region, ...lines, ...points]), 2, 100, 100),
          ...i16(1, 1),
          ...zeros(20),
          ...zeros(16),
        ],
      },
    ],
  });
  assert.deepEqual(wkt, [
    'POLYGON ((0 0,10 0,10 10,0 0))',
    'MULTILINESTRING ((0 0,5 5))',
    'MULTIPOINT ((1 2),(3 4))',
    'GEOMETRYCOLLECTION (POLYGON ((0 0,10 0,10 10,0 0)),MULTILINESTRING ((0 0,5 5)),MULTIPOINT ((1 2),(3 4)))',
  ]);
});

test('coordinates go on in the next block, in the middle of a number', async () => {
  const positions = Array.from({ length: 130 }, (_, i) => [i, i * 2]).flat();
  const [wkt] = await wktOf({
    scale: 1,
    coordinates: [0, 0, ...i32(...positions)],
    objects: [{ type: 0x08, record: [...i32(coordinatePointer(2), 130 * 8), ...zeros(24), 0] }],
  });
  assert.equal(wkt?.split(',').at(-1), '129 258)');
});

test('a text on the map is a point with what it says', async () => {
  const { layers } = await readTab({
    coordinates: [...Buffer.from('Nord')],
    objects: [
      {
        type: 0x11,
        record: [
          ...i32(coordinatePointer()),
          ...i16(4, 0, 900, 0),
          ...zeros(6),
          ...zeros(8),
          ...i32(30),
          0,
          ...i32(0, 0, 30, 100),
          0,
        ],
      },
    ],
  });
  const [{ geometry, properties }] = layers[0].rows;
  assert.equal(geometry, 'POINT (3 0)');
  assert.deepEqual(properties, { n: 1, text: 'Nord', text_height: 3, text_angle: 90 });
});

test('a table whose blocks are chained in a circle, or whose counts lie, is refused with its row', async () => {
  const line = (count: number) => ({
    type: 0x08,
    record: [...i32(coordinatePointer(), count), ...zeros(24), 0],
  });
  const refused = async (raw: RawTab, reason: RegExp): Promise<void> => {
    await assert.rejects(readTab(raw), (error) => {
      assert.ok(error instanceof GeomillError);
      assert.equal(error.code, 'MAPINFO_FILE');
      assert.match(error.message, /row 1/);
      assert.match(error.message, reason);
      return true;
    });
  };
  await refused({ coordinates: zeros(16), objects: [line(10_000)] }, /states .* bytes|ends before/);
  // The only block of coordinates names itself as the next one.
  await refused(
    {
      coordinates: zeros(504),
      objects: [line(1000)],
      patch: [
        [1536 + 4, 0],
        [1536 + 5, 6],
      ],
    },
    /circle/,
  );
  await refused({ objects: [{ type: 0x3f, record: zeros(10) }] }, /unknown type/);
  await refused({ objects: [{ type: 0x02, record: zeros(9) }], patch: [[1024, 3]] }, /none of objects/);
});

/** Reads what is left of a set of files; returns whether it was read. Anything but a refusal that is about the file fails. */
async function tryToRead(
  format: 'tab' | 'mif',
  members: ReadonlyMap<string, Uint8Array>,
  directory: string,
): Promise<boolean> {
  for (const [name, bytes] of members) writeFileSync(join(directory, name), bytes);
  const main = [...members.keys()].find((name) => name.toLowerCase().endsWith(`.${format}`)) ?? '';
  try {
    await readFileLayers(format === 'tab' ? tabReader : mifReader, join(directory, main));
    return true;
  } catch (error) {
    if (error instanceof GeomillError && error.fault === 'user') return false;
    throw error;
  }
}

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures');
const SETS: readonly (readonly ['tab' | 'mif', string])[] = [
  ['tab', 'mapinfo/geometries.tab.zip'],
  ['tab', 'mapinfo/types.tab.zip'],
  ['mif', 'mif/objects.mif.zip'],
];
for (const [format, fixture] of SETS)
  test(`${fixture}: with any file cut off or with wrong bytes it is read, or refused as a fault of the file`, async () => {
    using workspace = makeWorkspace();
    const whole = new Map(
      (await readZipMembers(readFileSync(join(FIXTURES, fixture)))).map(({ name, bytes }) => [name, bytes]),
    );
    assert.equal(await tryToRead(format, whole, workspace.path), true);
    let refused = 0;
    for (const [name, bytes] of whole) {
      const step = Math.max(1, Math.floor(bytes.length / 40));
      for (let at = 0; at < bytes.length; at += step) {
        if (!(await tryToRead(format, new Map([...whole, [name, bytes.subarray(0, at)]]), workspace.path)))
          refused++;
        for (const value of [0, 0xff, bytes[at] ^ 0x10]) {
          const flipped = bytes.slice();
          flipped[at] = value;
          if (!(await tryToRead(format, new Map([...whole, [name, flipped]]), workspace.path))) refused++;
        }
      }
    }
    assert.ok(refused > 20, `${refused} were refused`);
  });

test('a MIF file with a mistake is refused with its line', async () => {
  const mistakes: readonly (readonly [string, RegExp])[] = [
    ['Point 1\n', /the file ends/],
    ['Point a b\n', /no number/],
    ['Pline 5\n1 2\n', /the file ends before so many/],
    ['Region 1\n1e9\n', /ends before so many/],
    ['Circle 1 2 3\n', /no object/],
    ['Point 1 2\nfoo\n', /belongs to no object/],
    ['Text "abc\n0 0 1 1\n', /does not end/],
    ['Point 1 2\n Symbol (1,2\n', /has no '\)'/],
  ];
  for (const [objects, reason] of mistakes) {
    const bytes = Buffer.from(`Version 300\nCoordSys Earth Projection 1, 104\nColumns 0\nData\n\n${objects}`);
    await assert.rejects(readBytesLayers(mifReader, bytes, { name: 'a.mif' }), (error) => {
      assert.ok(error instanceof GeomillError);
      assert.equal(error.code, 'MAPINFO_FILE');
      assert.match(error.message, reason, objects);
      assert.ok((error.location?.line ?? 0) >= 6, objects);
      return true;
    });
  }
});

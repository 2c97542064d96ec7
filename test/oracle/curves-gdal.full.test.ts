/**
 * GDAL strokes curves to the same lines and polygons, vertex by vertex, and writes WKB of curves that reads the same.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { GeometryBuilder, type GeometryColumn } from '../../packages/core/src/geometry/geometry-column.ts';
import { WkbReader } from '../../packages/core/src/geometry/wkb.ts';
import { WktReader } from '../../packages/core/src/geometry/wkt.ts';

const PYTHON = '/usr/bin/python3';
const hasGdal = spawnSync(PYTHON, ['-c', 'import osgeo.ogr']).status === 0;
const skip = hasGdal ? false : 'python3-gdal is not installed';
const SEED = 20_240_229;
const SAMPLES = 400;
const TOLERANCE = 1e-9;

type Position = readonly [x: number, y: number, z: number];
/** A continuation of a curve: a line, or arcs with GDAL's number of steps. */
type Move =
  | { readonly line: readonly (readonly [number, number])[] }
  | {
      readonly arcs: readonly { readonly heading: number; readonly radius: number; readonly sweep: number }[];
    };

const finite = (min: number, max: number) => fc.double({ min, max, noNaN: true });
/**
 * GDAL rounds the number of steps of 4 degrees to the nearest, at least four; we round it up so that no step is larger.
 * The sweeps here give the same number.
 */
const sweep = fc
  .tuple(fc.integer({ min: 4, max: 89 }), finite(0.4, 1.8), fc.constantFrom(1, -1))
  .map(([steps, less, sign]) => (sign * (steps * 4 - less) * Math.PI) / 180);
const line: fc.Arbitrary<Move> = fc.record({
  line: fc.array(fc.tuple(finite(-500, 500), finite(-500, 500)), { minLength: 1, maxLength: 3 }),
});
const arcs: fc.Arbitrary<Move> = fc.record({
  arcs: fc.array(fc.record({ heading: finite(0, 6.28), radius: finite(1, 1000), sweep }), {
    minLength: 1,
    maxLength: 3,
  }),
});
const place = fc.tuple(finite(-1e4, 1e4), finite(-1e4, 1e4), finite(-100, 100));

/** Texts of positions, and the last position. */
function follow(start: Position, move: Move): { readonly positions: Position[]; readonly end: Position } {
  const positions: Position[] = [start];
  let [x, y, z] = start;
  if ('line' in move) for (const [dx, dy] of move.line) positions.push([x + dx, y + dy, z - 1]);
  else
    for (const { heading, radius, sweep: turn } of move.arcs) {
      const centreX = x - radius * Math.cos(heading);
      const centreY = y - radius * Math.sin(heading);
      // GDAL ignores the Z of the middle, so it is interpolated between the ends here.
      for (const share of [0.5, 1]) {
        const angle = heading + turn * share;
        positions.push([
          centreX + radius * Math.cos(angle),
          centreY + radius * Math.sin(angle),
          z + 10 * share,
        ]);
      }
      [x, y, z] = positions[positions.length - 1];
    }
  return { positions, end: positions[positions.length - 1] };
}

const listText = (positions: readonly Position[], hasZ: boolean): string =>
  `(${positions.map(([x, y, z]) => (hasZ ? `${x} ${y} ${z}` : `${x} ${y}`)).join(',')})`;

function memberText(
  { positions }: { readonly positions: readonly Position[] },
  move: Move,
  hasZ: boolean,
): string {
  return `${'line' in move ? '' : `CIRCULARSTRING${hasZ ? ' Z ' : ' '}`}${listText(positions, hasZ)}`;
}

const curve = fc
  .record({
    start: place,
    moves: fc.array(fc.oneof(line, arcs), { minLength: 1, maxLength: 4 }),
    hasZ: fc.boolean(),
    form: fc.constantFrom(
      'simple',
      'compound',
      'polygon',
      'circle',
      'multicurve',
      'multisurface',
      'collection',
    ),
  })
  .map(({ start, moves, hasZ, form }) => {
    const letters = hasZ ? ' Z' : '';
    const members: string[] = [];
    let at: Position = start;
    for (const move of moves) {
      const followed = follow(at, move);
      members.push(memberText(followed, move, hasZ));
      at = followed.end;
    }
    const compound = `COMPOUNDCURVE${letters} (${members.join(',')})`;
    const ring = `COMPOUNDCURVE${letters} (${[...members, listText([at, start], hasZ)].join(',')})`;
    const [x, y, z] = start;
    const circle = `CIRCULARSTRING${letters} ${listText([start, [x + 30, y - 50, z], start], hasZ)}`;
    const polygon = `CURVEPOLYGON${letters} (${ring},${circle})`;
    switch (form) {
      case 'simple':
        return members[0].startsWith('(') ? `LINESTRING${letters} ${members[0]}` : members[0];
      case 'compound':
        return compound;
      case 'polygon':
        return polygon;
      case 'circle':
        return `CURVEPOLYGON${letters} (${circle})`;
      case 'multicurve':
        return `MULTICURVE${letters} (${[...members, compound].join(',')})`;
      case 'multisurface':
        return `MULTISURFACE${letters} (${polygon},${polygon})`;
      default:
        return `GEOMETRYCOLLECTION${letters} (${compound},${polygon})`;
    }
  });

test('strokes curves to the same vertices as GDAL', { skip }, () => {
  const texts = fc.sample(curve, { seed: SEED, numRuns: SAMPLES });
  const done = spawnSync(PYTHON, [join(import.meta.dirname, 'curves.py')], {
    input: texts.map((text) => `${text}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.equal(done.status, 0, done.stderr);
  const answers = done.stdout.trimEnd().split('\n');
  assert.equal(answers.length, texts.length);
  answers.forEach((answer, i) => {
    const [linear, ...curves] = answer.split('\t').map(readWkb);
    const ours = readWkt(texts[i]);
    assertSame(ours, linear, TOLERANCE, texts[i]);
    // GDAL keeps the control points exactly, so its WKB of the curve gives exactly the same result as the text.
    for (const theirs of curves) assertSame(ours, theirs, 0, texts[i]);
  });
});

function assertSame(ours: GeometryColumn, theirs: GeometryColumn, tolerance: number, text: string): void {
  assert.equal(ours.dimensions, theirs.dimensions, text);
  assert.deepEqual(ours.types, theirs.types, text);
  assert.deepEqual(ours.partKinds, theirs.partKinds, text);
  assert.deepEqual(ours.ringOffsets, theirs.ringOffsets, text);
  assert.deepEqual(ours.coordOffsets, theirs.coordOffsets, text);
  for (let i = 0; i < ours.coordinates.length; i++) {
    const [own, other] = [ours.coordinates[i], theirs.coordinates[i]];
    assert.ok(
      Math.abs(own - other) <= tolerance * (1 + Math.abs(other)),
      `ordinate ${i}: ${own}, ${other} in ${text}`,
    );
  }
}

function readWkt(text: string): GeometryColumn {
  const bytes = new TextEncoder().encode(text);
  const builder = new GeometryBuilder();
  new WktReader().read(bytes, 0, bytes.length, builder);
  return builder.finish();
}

function readWkb(hex: string): GeometryColumn {
  const bytes = new Uint8Array(Buffer.from(hex, 'hex'));
  const builder = new GeometryBuilder();
  new WkbReader().read(bytes, 0, bytes.length, builder);
  return builder.finish();
}

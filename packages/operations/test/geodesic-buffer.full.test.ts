import assert from 'node:assert/strict';
import test from 'node:test';
import { LineJudge, type Position } from '../../../test/support/geodesic-judge.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { GeometryBuilder, type GeometryColumn, PART_KIND } from '../../core/src/geometry/geometry-column.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { GeodesicBuffer } from '../src/buffer/geodesic.ts';
import type { BufferParameters } from '../src/buffer/parameters.ts';

const geos = await Geos.load();
const setting = { path: 'transformations[0]', layerName: 'x', checkPositions: () => {} };
const round = { quadrantSegments: 16, endCap: 'round', join: 'round', mitreLimit: 5 } as const;

type Part = { readonly kind: number; readonly rings: readonly (readonly Position[])[] };

function columnOf(features: readonly { type: number; parts: readonly Part[] }[]): GeometryColumn {
  const builder = new GeometryBuilder('XY');
  for (const { type, parts } of features) {
    for (const { kind, rings } of parts) {
      for (const ring of rings) {
        for (const [x, y] of ring) builder.position(x, y);
        builder.endRing();
      }
      builder.endPart(kind);
    }
    builder.endFeature(type);
  }
  return builder.finish();
}

const line = (...positions: Position[]) => ({
  type: 2,
  parts: [{ kind: PART_KIND.line, rings: [positions] }],
});
const polygon = (...rings: Position[][]) => ({ type: 3, parts: [{ kind: PART_KIND.polygon, rings }] });

function buffered(
  geometry: GeometryColumn,
  meters: number,
  more: Partial<BufferParameters> = {},
): { result: FeatureBatch; findings: Findings } {
  const parameters = {
    distanceMeters: meters,
    style: round,
    simplifyToleranceMeters: 0,
    geodesic: false,
    ...more,
  };
  const batch = { rowCount: geometry.types.length, geometry, fields: [], columns: [], ids: null };
  const findings = new Findings();
  const result = new GeodesicBuffer(parameters, WGS84_DESCRIPTION, geos, setting).apply(batch, findings);
  return { result, findings };
}

function assertValid({ geometry }: FeatureBatch, what: string): void {
  for (let row = 0; row < geometry.types.length; row++) {
    using shape = geos.read(geometry, row);
    assert.ok(shape.isValid, `${what}: ${shape.validityReason}`);
    assert.ok(shape.area > 0, what);
  }
  for (let i = 0; i < geometry.coordinates.length; i += 2) {
    assert.ok(Math.abs(geometry.coordinates[i]) <= 180, `${what}: ${geometry.coordinates[i]}`);
    assert.ok(Math.abs(geometry.coordinates[i + 1]) <= 90, what);
  }
}

/** The range of distances of the result's vertices from the lines, in shares of `meters`; cuts at 180 and poles left out. */
function shares(
  geometry: GeometryColumn,
  lines: readonly (readonly Position[])[],
  meters: number,
): [number, number] {
  const judge = new LineJudge(lines);
  const count = geometry.coordinates.length / 2;
  const step = Math.max(1, Math.floor(count / 60));
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let i = 0; i < count; i += step) {
    const position: Position = [geometry.coordinates[2 * i], geometry.coordinates[2 * i + 1]];
    if (Math.abs(position[0]) === 180 || Math.abs(position[1]) === 90) continue;
    const share = judge.distance(position) / Math.abs(meters);
    least = Math.min(least, share);
    most = Math.max(most, share);
  }
  return [least, most];
}

const DISTANCES = [1, 50, 1000, 30_000, 500_000];
const lines: Record<string, Position[]> = {
  street: [
    [13.4, 52.5],
    [13.401, 52.5005],
    [13.403, 52.4998],
  ],
  parallel: [
    [10, 60],
    [12, 60],
  ],
  meridian: [
    [-70, -30],
    [-70, -27],
  ],
  diagonal: [
    [100, -5],
    [104, 6],
    [103, 9],
  ],
  'across 180': [
    [179, 10],
    [-179.5, 11],
  ],
  'near the pole': [
    [0, 89.5],
    [60, 89.7],
    [170, 89.2],
  ],
  'long parallel': [
    [-20, 55],
    [25, 55],
  ],
  'long diagonal': [
    [-120, 30],
    [-60, 50],
    [-50, -20],
  ],
  'around the world': [
    [-180, 20],
    [180, -20],
  ],
  'over the pole': [
    [20, 80],
    [20, 90],
    [-160, 82],
  ],
};

for (const [name, positions] of Object.entries(lines)) {
  test(`vertices of the buffer of a line lie at the distance: ${name}`, () => {
    for (const meters of DISTANCES) {
      // With many segments the chords of arcs, where outlines cross one another, lie at the distance as well.
      const { result } = buffered(columnOf([line(...positions)]), meters, {
        style: { ...round, quadrantSegments: 45 },
      });
      assert.equal(result.rowCount, 1);
      assertValid(result, `${name} ${meters}`);
      const judged = positions.map(([x, y], i): Position => {
        const before = positions[i - 1]?.[0] ?? x;
        return [before > 170 && x < -170 ? x + 360 : x, y];
      });
      const [least, most] = shares(result.geometry, [judged], meters);
      assert.ok(least > 0.999 && most < 1.001, `${name} ${meters} m: ${least} to ${most}`);
    }
  });
}

const polygons: Record<string, Position[][]> = {
  building: [
    [
      [13.4, 52.5],
      [13.4003, 52.5],
      [13.4003, 52.5002],
      [13.4, 52.5002],
      [13.4, 52.5],
    ],
  ],
  'with a hole': [
    [
      [30, 10],
      [31, 10],
      [31, 11],
      [30, 11],
      [30, 10],
    ],
    [
      [30.2, 10.2],
      [30.2, 10.8],
      [30.8, 10.8],
      [30.8, 10.2],
      [30.2, 10.2],
    ],
  ],
  country: [
    [
      [-5, 42],
      [8, 43],
      [8, 49],
      [2, 51],
      [-5, 48.5],
      [-5, 42],
    ],
  ],
  'cap on the pole': [
    [
      [-180, 85],
      [-90, 84],
      [0, 86],
      [90, 85],
      [180, 85],
      [180, 90],
      [-180, 90],
      [-180, 85],
    ],
  ],
  antarctica: [
    [
      [-180, -90],
      [180, -90],
      [180, -70],
      [90, -65],
      [0, -70],
      [-90, -73],
      [-180, -70],
      [-180, -90],
    ],
  ],
};
const borders: Record<string, Position[][]> = {
  ...polygons,
  'cap on the pole': [
    [
      [-180, 85],
      [-90, 84],
      [0, 86],
      [90, 85],
      [180, 85],
    ],
  ],
  antarctica: [
    [
      [180, -70],
      [90, -65],
      [0, -70],
      [-90, -73],
      [-180, -70],
    ],
  ],
};

for (const [name, rings] of Object.entries(polygons)) {
  test(`vertices of the buffer of a polygon lie at the distance: ${name}`, () => {
    for (const meters of [1, 1000, 20_000, -1000, -20_000]) {
      if (name === 'building' && meters < -5) continue;
      if (name === 'antarctica' && Math.abs(meters) < 1000) continue;
      if (name === 'with a hole' && meters < -5000) continue;
      const { result } = buffered(columnOf([polygon(...rings)]), meters, {
        style: { ...round, quadrantSegments: 45 },
      });
      assert.equal(result.rowCount, 1, `${name} ${meters}`);
      assertValid(result, `${name} ${meters}`);
      const [least, most] = shares(result.geometry, borders[name], meters);
      assert.ok(least > 0.999 && most < 1.001, `${name} ${meters} m: ${least} to ${most}`);
    }
  });
}

test('no slit is left where an outline around a pole was cut and joined again', () => {
  for (const [x, y] of [
    [-127.6, -66],
    [-69.3, 54],
    [-0.4, -80],
    [36.7, 60],
    [79.1, 76],
  ]) {
    const { result } = buffered(columnOf([line([x, y], [x + 20, y + 3], [x + 25, y - 4])]), 4_000_000);
    assertValid(result, `${x}`);
    // Both sides of a slit meet if positions are rounded.
    const { geometry } = result;
    const coordinates = geometry.coordinates.map((ordinate) => Math.round(ordinate * 1e9) / 1e9);
    assertValid({ ...result, geometry: { ...geometry, coordinates } }, `${x}, rounded`);
  }
});

/**
 * ezdxf and GDAL draw entities of a drawing at the same positions as we do; ezdxf in space, GDAL within its 4 degree
 * steps.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { drawn, entitiesOf, LINES } from '../support/dxf-entity.ts';

const PYTHON = '/usr/bin/python3';
const SEED = 20_240_229;
const COUNT = 12;
/** Distance of either stroke from the curve, in drawing units; the entities are about 20 to 40 wide. */
const DISTANCE = 0.002;

type Line = readonly (readonly number[])[];
interface GeoJson {
  readonly type: string;
  readonly coordinates: unknown;
}
interface Told {
  readonly ezdxf: readonly Line[];
  readonly gdal?: GeoJson;
}

const hasEzdxf = spawnSync(PYTHON, ['-c', 'import ezdxf']).status === 0;

/** Greatest distance of a position of one line from the other line. */
function farthest(from: Line, to: Line): number {
  let greatest = 0;
  for (const [x, y, z = 0] of from) {
    let nearest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < to.length; i++) {
      const [ax, ay, az = 0] = to[Math.max(0, i - 1)];
      const [bx, by, bz = 0] = to[i];
      const [dx, dy, dz] = [bx - ax, by - ay, bz - az];
      const length = dx * dx + dy * dy + dz * dz;
      const share = length === 0 ? 0 : ((x - ax) * dx + (y - ay) * dy + (z - az) * dz) / length;
      const t = Math.max(0, Math.min(1, share));
      nearest = Math.min(nearest, Math.hypot(x - ax - t * dx, y - ay - t * dy, z - az - t * dz));
    }
    greatest = Math.max(greatest, nearest);
  }
  return greatest;
}

const apart = (a: Line, b: Line): number => Math.max(farthest(a, b), farthest(b, a));

/** Lines and rings of a GeoJSON geometry, and single points as lines of one position. */
function linesOf(coordinates: unknown): Line[] {
  if (!Array.isArray(coordinates)) return [];
  if (typeof coordinates[0] === 'number') return [[coordinates as number[]]];
  if (Array.isArray(coordinates[0]) && typeof coordinates[0][0] === 'number') return [coordinates as Line];
  return coordinates.flatMap(linesOf);
}

/** Lines are compared in order, rings in the order that aligns them. */
function assertSame(ours: readonly Line[], theirs: readonly Line[], tolerance: number, what: string): void {
  assert.equal(ours.length, theirs.length, `${what}: ${ours.length} lines, not ${theirs.length}`);
  for (const line of ours) {
    const distance = Math.min(...theirs.map((other) => apart(line, other)));
    assert.ok(distance <= tolerance, `${what}: ${distance} apart`);
  }
}

function draw(): { readonly told: Record<string, Told>; readonly drawing: string } {
  const folder = mkdtempSync(join(tmpdir(), 'geomill-dxf-'));
  try {
    const path = join(folder, 'shapes.dxf');
    const script = join(import.meta.dirname, 'dxf_shapes.py');
    const run = spawnSync(PYTHON, [script, path, String(SEED), String(COUNT), String(DISTANCE)], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    assert.equal(run.status, 0, run.stderr);
    return { told: JSON.parse(run.stdout) as Record<string, Told>, drawing: readFileSync(path, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('draws entities at the same positions as ezdxf and GDAL', {
  skip: hasEzdxf ? false : 'ezdxf is not installed',
}, async (t) => {
  const { told, drawing } = draw();
  const entities = new Map(
    entitiesOf(drawing).map((entity) => [entity.tags.text(entity.tags.find(5)), entity]),
  );
  const types = new Set([...entities.values()].map(({ tags }) => tags.type));
  for (const type of types)
    await t.test(type, () => {
      for (const [handle, { ezdxf, gdal }] of Object.entries(told)) {
        const entity = entities.get(handle);
        assert.ok(entity !== undefined, `entity ${handle} was not found in the drawing`);
        if (entity.tags.type !== type) continue;
        const fine = drawn(entity, { ...LINES, toleranceUnits: DISTANCE });
        // ezdxf draws hatches as Bezier curves, which are not circles.
        const tolerance = DISTANCE * (type === 'HATCH' ? 10 : 3);
        assertSame(fine.parts.flat(), ezdxf, tolerance, `${type} ${handle}, ezdxf`);
        if (gdal === undefined) continue;
        // 0.00061 radii, once for each of us; small bulges make radii of some 100.
        const theirs = linesOf(gdal.coordinates);
        // GDAL reads splines in the plane.
        const ordinates = theirs[0][0].length;
        const ours = drawn(entity)
          .parts.flat()
          .map((line) => line.map((position) => position.slice(0, ordinates)));
        const what = `${type} ${handle}, GDAL`;
        // Splines have 8 positions per control point there, however they bend; these must lie on ours.
        if (type === 'SPLINE') assert.ok(farthest(theirs[0], ours[0]) < 0.3, what);
        else assertSame(ours, theirs, 0.1, what);
      }
    });
});

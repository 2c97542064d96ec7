/**
 * ezdxf draws INSERTs at the same positions, on the same layers and in the same colours as we do; GDAL has our palette.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { reader } from '../../packages/formats/src/dxf/read.ts';
import { featuresOf, type SketchFeature } from '../support/dxf-features.ts';
import { readFileLayers } from '../support/read-layers.ts';

const PYTHON = '/usr/bin/python3';
const SCRIPT = join(import.meta.dirname, 'dxf_blocks.py');
const SEEDS = 5;
const hasOracle = spawnSync(PYTHON, ['-c', 'import ezdxf, osgeo.ogr']).status === 0;
const skip = hasOracle ? false : 'python3 with ezdxf and GDAL is not installed';

async function told(argument: string): Promise<{ theirs: unknown; ours: SketchFeature[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-dxf-blocks-'));
  try {
    const path = join(directory, 'blocks.dxf');
    const theirs = JSON.parse(execFileSync(PYTHON, [SCRIPT, argument, path], { encoding: 'utf8' }));
    const { layers } = await readFileLayers(reader, path);
    return { theirs, ours: layers[0].batches.flatMap(featuresOf) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test('unfolds INSERTs as ezdxf does, to the same positions', { skip }, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { theirs, ours } = await told(String(seed));
    const expected = theirs as [x: number, y: number, z: number, layer: string, color: string][];
    assert.equal(ours.length, expected.length, `seed ${seed}`);
    // Our cells of arrays are in row order, others in column order; rounding must not decide on the order.
    const rounded = (value: unknown): number => Math.round(Number(value) * 1e5);
    const order = (a: readonly unknown[], b: readonly unknown[]): number =>
      rounded(a[0]) - rounded(b[0]) || rounded(a[1]) - rounded(b[1]) || rounded(a[2]) - rounded(b[2]);
    const found = ours.map(({ parts, fields }) => {
      const [x, y, z = 0] = parts[0][0][0];
      return [x, y, z, fields.Layer, fields.Color] as const;
    });
    const sorted = [...expected].sort(order);
    for (const [i, point] of [...found].sort(order).entries()) {
      const [x, y, z, layer, color] = sorted[i];
      assert.ok(
        Math.hypot(point[0] - x, point[1] - y, point[2] - z) < 1e-6,
        `seed ${seed}: ${point} ${sorted[i]}`,
      );
      // Colour 7 is white on ezdxf's screen.
      const resolved = color === '#ffffff' ? '#000000' : color;
      assert.deepEqual([point[3], point[4]], [layer, resolved], `seed ${seed}: ${point}`);
    }
  }
});

test('has the palette of GDAL', { skip }, async () => {
  const { theirs, ours } = await told('palette');
  assert.deepEqual(
    ours.map(({ fields }) => fields.Color),
    theirs,
  );
});

/** The choice between operations from plain data gives the results and descriptions of PROJ, bit for bit. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seeded } from '../../../../test/accuracy/compare.ts';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import type { Dimensions } from '../../../core/src/geometry/geometry-column.ts';
import { Proj, type TransformerRecipe } from '../src/proj.ts';

const proj = await Proj.load({ gridDirectory: null });

function severalOf(from: string, to: string): TransformerRecipe & { readonly several: object } {
  // As it is kept between commands.
  const recipe = JSON.parse(JSON.stringify(proj.transformer(from, to).recipe)) as TransformerRecipe;
  assert.ok(recipe.several !== null, `${from} to ${to}`);
  return recipe as ReturnType<typeof severalOf>;
}

const PAIRS = [
  ['EPSG:4326', 'EPSG:31467'],
  ['EPSG:31467', 'EPSG:4326'],
  ['EPSG:4326', 'EPSG:27700'],
  ['EPSG:27700', 'EPSG:4326'],
  ['EPSG:28992', 'EPSG:4326'],
  ['EPSG:4326', 'EPSG:3035'],
  ['EPSG:4267', 'EPSG:4269'],
  ['EPSG:4326', 'EPSG:4230'],
  ['EPSG:26720', 'EPSG:4326'],
] as const;

test('a transformer from plain data transforms every position as PROJ does', async () => {
  using grids = makeWorkspace();
  // An instance that has set up none of the pairs.
  const other = await Proj.load({ gridDirectory: grids.path });
  const random = seeded(4);
  for (const [from, to] of PAIRS) {
    const recipe = severalOf(from, to);
    const boxes = recipe.several!.choice.boxes.map(({ bounds }) => bounds);
    // In and around the areas of all operations; a box without limits is that of the whole world.
    const positions = Array.from({ length: 1500 }, () => {
      const box = boxes[Math.floor(random() * boxes.length)];
      const [west, south, east, north] = box[0] < -1e300 ? [-180, -90, 180, 90] : box;
      return [
        west + (random() * 1.4 - 0.2) * (east - west),
        south + (random() * 1.4 - 0.2) * (north - south),
      ];
    });
    for (const dimensions of ['XY', 'XYZ'] satisfies Dimensions[]) {
      const source = positions.flatMap((position) => (dimensions === 'XY' ? position : [...position, 100]));
      const expected = Float64Array.from(source);
      const exact = proj.transformer(from, to).transform(expected, dimensions);
      const ours = Float64Array.from(source);
      const outcome = other.transformerOf(recipe).transform(ours, dimensions);
      assert.deepEqual(ours, expected, `${from} to ${to}`);
      const facts = ({ failedPosition, failedCount, reason, outside }: typeof outcome) => [
        failedPosition,
        failedCount,
        reason,
        outside,
      ];
      assert.deepEqual(facts(outcome), facts(exact));
      const described = ({ operations }: typeof outcome) =>
        new Set(operations.map((one) => JSON.stringify(one)));
      assert.deepEqual(described(outcome), described(exact));
    }
    assert.deepEqual(other.transformerOf(recipe).operation, proj.transformer(from, to).operation);
  }
});

test('empty points and longitudes beyond 180 degrees are as in PROJ', async () => {
  using grids = makeWorkspace();
  const other = await Proj.load({ gridDirectory: grids.path });
  const recipe = severalOf('EPSG:4326', 'EPSG:27700');
  const source = [Number.NaN, Number.NaN, -2, 54, 358, 54, -362, 54, 60, 20];
  const expected = Float64Array.from(source);
  proj.transformer('EPSG:4326', 'EPSG:27700').transform(expected, 'XY');
  const ours = Float64Array.from(source);
  other.transformerOf(recipe).transform(ours, 'XY');
  assert.deepEqual(ours, expected);
});

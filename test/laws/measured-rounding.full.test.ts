/** What a format reports of rounded coordinates was measured: nothing if no position moved, and the real distance otherwise. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { formats } from '../../packages/formats/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';

const rounding = formats.filter(({ writeOptions }) => 'decimals' in writeOptions.properties);

test('rounding reports the largest distance that a position moved, and the features that moved', async () => {
  assert.ok(rounding.length >= 8);
  using workspace = makeWorkspace();
  const rows = (shift: (i: number) => number): string =>
    Array.from({ length: 3000 }, (_, i) => `${i},${(10 + shift(i)).toFixed(9)},60\n`).join('');
  const same = join(workspace.path, 'same.csv');
  writeFileSync(same, `n,lon,lat\n${rows((i) => (i % 100) / 1000)}`);
  const moved = join(workspace.path, 'moved.csv');
  // Two of them move by 4e-4 and 2e-4 degrees of longitude at 60 degrees, where a degree has half its length.
  writeFileSync(moved, `n,lon,lat\n${rows((i) => (i === 7 ? 0.0004 : i === 2900 ? 0.0002 : 0))}`);
  for (const { id } of rounding) {
    const convert = async (source: string, name: string, significant = false) => {
      const { report } = await convertFile(source, join(workspace.path, `${id}-${name}`), {
        ...{ from: 'csv', to: id, fromCrs: 'EPSG:4326', toCrs: 'EPSG:4326' },
        writeOptions: significant ? { significant_digits: 7 } : { decimals: 3 },
      });
      return report.warnings
        .filter(({ code }) => code === 'COORDINATES_ROUNDED')
        .map(({ count, params }) => [count, params.displacement]);
    };
    assert.deepEqual(await convert(same, 'same'), [], id);
    assert.deepEqual(await convert(same, 'same-significant', true), [], id);
    assert.deepEqual(await convert(moved, 'moved'), [[2, 22]], id);
  }
});

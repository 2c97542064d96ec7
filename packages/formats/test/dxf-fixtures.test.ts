/** The same drawing in several releases and forms. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { readFileLayers } from '../../../test/support/read-layers.ts';
import { reader } from '../src/dxf/read.ts';

const FOLDER = join(import.meta.dirname, '../../../test/fixtures/dxf');

test('reads binary drawings like their ASCII versions, and newer releases like R2000', async () => {
  const rowsOf = async (name: string): Promise<unknown> => {
    const { layers } = await readFileLayers(reader, join(FOLDER, `${name}.dxf`), {
      options: { layouts: 'all' },
    });
    return layers.map(({ rows }) => rows);
  };
  assert.deepEqual(await rowsOf('binary-r12'), await rowsOf('r12'));
  const expected = await rowsOf('r2000');
  for (const name of ['r2004', 'r2007', 'r2010', 'r2018', 'binary-r2000', 'binary-r2018'])
    assert.deepEqual(await rowsOf(name), expected, name);
});

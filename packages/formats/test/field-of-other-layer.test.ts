/** A step that names a field of one layer of several says how to read that layer alone. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { run as convert } from '../../../apps/cli/src/convert.ts';
import { FLAG_FORM } from '../../../apps/cli/src/wording.ts';
import { readConfig } from '../../../apps/service/src/settings/config.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';

const context = readConfig({});

test('the message about a field of another layer names --layer, and only if one layer has it', async () => {
  using workspace = makeWorkspace();
  const path = (name: string): string => join(workspace.path, name);
  const points = (field: string): string => `${field},lon,lat\n1,9,53\n`;
  writeFileSync(path('roads.csv'), points('lanes'));
  writeFileSync(path('parcels.csv'), points('owner'));
  writeFileSync(path('lakes.csv'), points('depth'));
  for (const name of ['roads', 'parcels', 'lakes'])
    await convert(
      [path(`${name}.csv`), path('city.gpkg'), '--quiet', ...(name === 'roads' ? [] : ['--update'])],
      context,
    );
  const refusal = async (...flags: string[]): Promise<string> => {
    try {
      await convert([path('city.gpkg'), path('out.gpkg'), '--quiet', ...flags], context);
    } catch (error) {
      if (error instanceof GeomillError) return error.inForm(FLAG_FORM).message;
      throw error;
    }
    return 'nothing was refused';
  };
  for (const flags of [
    ['--filter', 'lanes = 1'],
    ['--select', 'lanes'],
    ['--sort', 'lanes'],
    ['--dissolve', 'lanes'],
  ])
    assert.match(
      await refusal(...flags),
      /has no field 'lanes'.* To read only layer 'roads', add --layer roads$/,
      flags[0],
    );
  assert.doesNotMatch(await refusal('--filter', 'nothing = 1'), /--layer/);
  assert.doesNotMatch(await refusal('--layer', 'parcels', '--filter', 'lanes = 1'), /add --layer/);
});

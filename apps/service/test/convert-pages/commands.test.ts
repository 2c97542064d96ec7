/** The commands that the page of a job shows. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { OwnJobDetails } from '../../src/pages/account/own-jobs.ts';
import { commandsOf } from '../../src/pages/convert/commands.ts';

function commandFor(output: object, outputName: string): string | null | undefined {
  const job = {
    operation: 'transform',
    inputFormat: 'csv',
    inputNames: ['quays.csv'],
    hasStepFiles: false,
    readCrs: 'EPSG:25832',
    outputName,
    request: JSON.stringify({ input: { format: 'csv' }, transformations: [], output }),
  } as unknown as OwnJobDetails;
  return commandsOf(job, { baseUrl: 'http://localhost', needsKey: false })?.cli;
}

test('a variant of a format is selected by the name of the output', () => {
  for (const [options, name] of [
    [{}, 'quays.geojson'],
    [{ sequence: false }, 'quays.geojson'],
    [{ sequence: true }, 'quays.geojsonl'],
    [{ geojson_crs: 'jsonfg' }, 'quays.fgjson'],
  ] as const)
    assert.equal(
      commandFor({ format: 'geojson', ...options }, name),
      `geomill convert quays.csv ${name} --from-crs EPSG:25832`,
      JSON.stringify(options),
    );
});

test('options that no name selects have no command', () => {
  assert.equal(commandFor({ format: 'geojson', geojson_crs: 'requested' }, 'quays.geojson'), null);
  assert.equal(commandFor({ format: 'geojson', sequence: false, bbox: true }, 'quays.geojson'), null);
});

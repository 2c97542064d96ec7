/** An output that is divided by a field and named .zip is an archive of files, also of formats that have layers. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { run } from '../../apps/cli/src/convert.ts';
import { run as runDocument } from '../../apps/cli/src/run.ts';
import { readConfig } from '../../apps/service/src/settings/config.ts';
import { outputExtension, withSplitOptions } from '../../apps/web/model/split-output.ts';
import { outputFormats } from '../../packages/formats/src/registry.ts';
import { readZipMembers } from '../support/zip-members.ts';

const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const input = join(directory, 'trees.geojson');
const feature = (kind: string, x: number): string =>
  `{"type":"Feature","properties":{"kind":"${kind}"},"geometry":{"type":"Point","coordinates":[${x},50]}}`;
writeFileSync(
  input,
  `{"type":"FeatureCollection","features":[${feature('oak', 8)},${feature('ash', 9)},${feature('oak', 10)}]}`,
);

/** The names of the files in an archive, without the endings of their format. */
async function stemsOf(path: string): Promise<string[]> {
  assert.equal(readFileSync(path).subarray(0, 2).toString('latin1'), 'PK', path);
  const names = (await readZipMembers(readFileSync(path))).map(({ name }) => name);
  return [...new Set(names.map((name) => name.split('/').at(-1)!.replace(/\..*$/, '')))].sort();
}

for (const format of outputFormats) {
  const { id } = format;
  test(`${id}: a command and a job document write a file for each value`, async () => {
    const output = join(directory, `${id}.zip`);
    assert.equal(await run([input, output, '--to', id, '--split-by', 'kind', '--quiet'], readConfig({})), 0);
    assert.deepEqual(await stemsOf(output), ['ash', 'oak']);
    const path = join(directory, `${id}-document.zip`);
    const document = join(directory, `${id}.json`);
    const job = { inputs: [{ path: input }], outputs: [{ path, format: id, split_by: 'kind' }] };
    writeFileSync(document, JSON.stringify(job));
    assert.equal(await runDocument([document, '--quiet'], readConfig({})), 0);
    assert.deepEqual(await stemsOf(path), ['ash', 'oak']);
  });

  test(`${id}: the page offers the parts that the format has, and names the file by them`, () => {
    const record = {
      id,
      split_into: format.parts,
      output_extension: format.outputExtension,
      write_options: format.writeOptions,
    };
    const { properties } = withSplitOptions(record as never) as {
      properties: { split_into: { enum: string[]; default: string } };
    };
    assert.deepEqual(properties.split_into.enum, format.parts === 'layers' ? ['layers', 'files'] : ['files']);
    assert.equal(properties.split_into.default, format.parts);
    const named = (options: object): string => outputExtension({ options: { ...options } }, record);
    assert.equal(named({}), format.outputExtension);
    assert.equal(named({ split_by: 'kind' }), format.parts === 'layers' ? format.outputExtension : '.zip');
    assert.equal(named({ split_by: 'kind', split_into: 'files' }), '.zip');
  });
}

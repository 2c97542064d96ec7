/** docs/api.md names every operation there is. `test/docs-commands.full.test.ts` runs its examples. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { formats } from '../../../../packages/formats/src/registry.ts';
import { allOperations } from '../../src/http/operations/all.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const manual = readFileSync(join(ROOT, 'docs', 'api.md'), 'utf8');

test('docs/api.md names the path of every operation', () => {
  // A format in a path is `{format}` in the text, and an example where it is not.
  const written = manual.replaceAll(
    /\/v1\/transform\/(?:geojson|shp|gpkg|dxf|csv)\b/g,
    '/v1/transform/{format}',
  );
  for (const { path } of allOperations(formats)) {
    const format = formats.find(({ id }) => path.startsWith(`/v1/transform/${id}`))?.id;
    const generic = path.replace(/\{(?:job_id|task_id|code)\}.*$/, '');
    const named =
      format === undefined ? generic : generic.replace(`/v1/transform/${format}`, '/v1/transform/{format}');
    assert.ok(written.includes(named), named);
  }
});

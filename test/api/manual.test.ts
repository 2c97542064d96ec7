/** docs/api.md: its examples run as they stand, one after the other in one shell, and it names every operation there is. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { formats } from '../../src/formats/registry.ts';
import { allOperations } from '../../src/http/operations/all.ts';
import { startServerProcess } from '../support/server-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const manual = readFileSync(join(ROOT, 'docs', 'api.md'), 'utf8');
const skip = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';

test('the examples of docs/api.md run as they stand', { skip }, async () => {
  await using server = await startServerProcess();
  const directory = mkdtempSync(join(tmpdir(), 'geomill-manual-'));
  try {
    symlinkSync(join(ROOT, 'samples'), join(directory, 'samples'));
    writeFileSync(join(directory, '.curlrc'), 'silent\nshow-error\nclobber\nmax-time = 60\n');
    const blocks = [...manual.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
    const script = blocks.join('\n').replace(/^URL=.*$/m, `URL=${server.url}`);
    assert.match(script, new RegExp(`^URL=${server.url}$`, 'm'));
    const environment = { PATH: process.env.PATH, HOME: directory, CURL_HOME: directory };
    await promisify(execFile)('bash', ['-e', '-u', '-o', 'pipefail', '-c', script], {
      cwd: directory,
      env: environment,
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

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

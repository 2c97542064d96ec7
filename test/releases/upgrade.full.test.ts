/** The service of this version with the data directory of each release, and every command on it before and after. */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../support/convert.ts';
import { isOutOfDate, RELEASES, type ReleaseFixture, releaseDirectory } from '../support/releases.ts';
import { runCli } from '../support/run-cli.ts';
import { startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';

for (const release of RELEASES)
  test(`a data directory of ${release} is brought up to date by the first start`, async () => {
    using workspace = makeWorkspace();
    const data = join(workspace.path, 'data');
    cpSync(releaseDirectory(release), data, { recursive: true });
    const fixture = JSON.parse(readFileSync(join(data, 'fixture.json'), 'utf8')) as ReleaseFixture;
    rmSync(join(data, 'fixture.json'));
    // A checkout has other permissions.
    for (const name of ['', 'jobs.sqlite', 'accounts.sqlite'])
      chmodSync(join(data, name), name === '' ? 0o700 : 0o600);
    const headers = { apiKey: fixture.key };

    const before = await runCli(['doctor'], { DATA_DIR: data });
    assert.equal(before.status, 0, before.out + before.err);
    assert.equal(/the next start brings it to \d+/.test(before.out), isOutOfDate(release));
    assert.doesNotMatch(before.out, /no such column/);
    if (isOutOfDate(release)) {
      const early = await runCli(['backup', join(workspace.path, 'early')], { DATA_DIR: data });
      assert.notEqual(early.status, 0);
      assert.match(early.err, /start the service of this geomill once, which brings it up to date/);
    }

    await using server = await startServerProcess({ AUTH: 'required', DATA_DIR: data, RATE_LIMIT: '0' });
    const { url } = server;
    for (const id of fixture.unfinished)
      await until(`job ${id} has ended`, async () => {
        const answer = await fetch(`${url}/result/status/${id}`, { headers });
        const { status, ...rest } = (await answer.json()) as { readonly status: string };
        assert.notEqual(status, 'FAILED', JSON.stringify(rest));
        return status === 'SUCCESS';
      });
    const output = await fetch(`${url}/result/output/${fixture.succeeded}`, { headers });
    assert.match(await output.text(), /8\.5.*49\.25/s);
    for (const path of ['/v1/jobs', `/v1/jobs/${fixture.succeeded}`, `/v1/jobs/${fixture.failed}`])
      assert.equal((await fetch(url + path, { headers })).status, 200, path);
    assert.equal((await fetch(`${url}/v1/jobs`)).status, 401);

    const backup = join(workspace.path, 'backup');
    assert.equal((await runCli(['backup', backup, '--outputs'], { DATA_DIR: data })).status, 0);
    const restored = join(workspace.path, 'restored');
    assert.equal((await runCli(['restore', backup], { DATA_DIR: restored })).status, 0);
    const after = await runCli(['doctor'], { DATA_DIR: restored });
    assert.equal(after.status, 0, after.out + after.err);
    assert.doesNotMatch(after.out, /the next start brings/);
  });

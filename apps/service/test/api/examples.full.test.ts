/** Every example of the documentation runs: curl against a service with its real runners. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { formats } from '../../../../packages/formats/src/registry.ts';
import { setUpAdmin } from '../../../../test/support/account-area.ts';
import { startTestService, submit } from '../../../../test/support/service.ts';
import { createUpload } from '../../../../test/support/tus.ts';
import { openAccounts } from '../../src/accounts/accounts.ts';
import { allOperations } from '../../src/http/operations/all.ts';
import { describedOperations } from '../../src/http/request-bodies.ts';
import { accountsPath } from '../../src/jobs/data-directory.ts';
import { OneTimeLinks } from '../../src/pages/account/one-time-links.ts';

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), 'geomill-examples-'));
symlinkSync(join(import.meta.dirname, '../../../../samples'), join(directory, 'samples'));
// Whatever the line says, an answer of 400 and above is a failure, and an output may replace an earlier one.
writeFileSync(join(directory, '.curlrc'), 'fail\nsilent\nshow-error\nclobber\nmax-time = 60\n');

const service = await startTestService({ runner: null });
const accounts = openAccounts({ path: accountsPath(service.config.dataDirectory) });
const client = await accounts.credentials.create(
  { kind: 'client', owner: 'example', name: 'example', scopes: ['jobs:read'], expiresAt: null },
  'test',
);
await accounts.close();
test.after(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const hasCurl = ((): boolean => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** A job of its own for each example: some of them cancel or delete it. */
async function doneJob(): Promise<string> {
  const file = '{"type":"Point","coordinates":[8.57,53.54]}';
  const response = await submit(service, { file });
  const { job_id: id } = (await response.json()) as { job_id: string };
  const { state } = await service.ended(id);
  assert.equal(state, 'SUCCESS');
  return id;
}

/** An upload without bytes or a length, so that an example can add any. */
async function openUpload(): Promise<string> {
  const response = await createUpload(service, { 'upload-defer-length': '1' });
  return ((await response.json()) as { id: string }).id;
}

/** The cookie of an administrator who has just signed in. */
async function sessionCookie(): Promise<string> {
  const opened = openAccounts({ path: accountsPath(service.config.dataDirectory) });
  try {
    const browser = await setUpAdmin({
      url: service.url,
      link: async (link) =>
        `/account/${link.purpose}?token=${await new OneTimeLinks(opened.database).make(link, 'test')}`,
    });
    return browser.cookies.get('geomill.session_token') ?? '';
  } finally {
    await opened.close();
  }
}

for (const { id, examples } of describedOperations(allOperations(formats), formats)) {
  for (const [number, example] of examples.entries()) {
    test(`the example runs: ${id}, ${number + 1}`, {
      skip: hasCurl ? false : 'no curl here',
    }, async () => {
      const job = /JOB_ID|TASK_ID/.test(example) ? await doneJob() : '';
      const line = example
        .replaceAll('BASE_URL', service.url)
        .replaceAll(/JOB_ID|TASK_ID/g, job)
        .replaceAll('UPLOAD_ID', /UPLOAD_ID/.test(example) ? await openUpload() : '')
        .replaceAll('SESSION_COOKIE', /SESSION_COOKIE/.test(example) ? await sessionCookie() : '')
        .replaceAll('CLIENT_ID', client.credential.id)
        .replaceAll('CLIENT_SECRET', client.secret);
      assert.doesNotMatch(
        line,
        /\b[A-Z]+_(?:ID|URL|KEY|SECRET|COOKIE)\b/,
        'a placeholder that nobody fills in',
      );
      await run('bash', ['-e', '-o', 'pipefail', '-c', line], {
        cwd: directory,
        env: { PATH: process.env.PATH, HOME: directory, CURL_HOME: directory },
        maxBuffer: 64 * 1024 * 1024,
      });
    });
  }
}

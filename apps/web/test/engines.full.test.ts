/** The engine in the page beside that of the service: the same output and report, and a change between them at any time. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { startTestService } from '../../../test/support/service.ts';
import { onWorkspace } from '../../../test/support/workspace-page.ts';

const HARBOUR = join(import.meta.dirname, '../../../samples/harbour.geojson');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

/** Without reprojection: browsers have other sines than Node.js, so some coordinates would differ in the 15th digit. */
const JOB = {
  inputs: [{ path: 'harbour.geojson', format: 'geojson' }],
  steps: [{ type: 'filter', params: { bbox: [8.57, 53.54, 8.5805, 53.5495] } }, { type: 'convex_hull' }],
  outputs: [{ path: 'harbour.kml', format: 'kml' }],
};

interface Result {
  readonly bytes: Buffer;
  readonly summary: string;
  readonly findings: string;
}

async function converted(page: Page): Promise<Result> {
  await page.getByRole('button', { name: 'Convert', exact: true }).click();
  const link = page.getByRole('link', { name: /^Download harbour/ });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const card = page.locator('li.run');
  const summary = await card.getByText('10 features read').textContent();
  const findings = await card.locator('.severity').allTextContents();
  return {
    bytes: readFileSync(await download.path()),
    summary: summary ?? '',
    findings: findings.join('\n'),
  };
}

test('both engines give the same bytes and report; a change removes files from the server', {
  skip,
}, async () => {
  const isData = (address: string) => /\/v1\/|\/jobs/.test(address.slice(service.url.length));
  await onWorkspace(
    service.url,
    async (page, { requests }) => {
      await page.getByText('On this computer: no file leaves it.').waitFor();
      const document = {
        name: 'job.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(JOB)),
      };
      await page.getByLabel('Files to convert').setInputFiles([document]);
      await page.getByLabel('File harbour.geojson').setInputFiles(HARBOUR);
      await page.getByText('10 features, Point').waitFor();
      const local = await converted(page);
      const lists = /\/v1(?:\/formats|\/transformations)?$/;
      assert.deepEqual(
        requests.filter((address) => isData(address) && !lists.test(address)),
        [],
      );

      await page.getByRole('button', { name: 'Use the server' }).click();
      await page.getByText(`On the server ${new URL(service.url).host}`).waitFor();
      const remote = await converted(page);
      assert.ok(requests.some((address) => /\/v1\/uploads/.test(address)));
      assert.ok(local.bytes.equals(remote.bytes));
      assert.deepEqual(local.findings, remote.findings);
      assert.equal(local.summary, remote.summary);

      const deleted = page.waitForRequest((request) => request.method() === 'DELETE');
      await page.getByRole('button', { name: 'Use this computer' }).click();
      assert.match((await deleted).url(), /uploads/);
      assert.ok((await converted(page)).bytes.equals(local.bytes));
    },
    { engine: 'local' },
  );
});

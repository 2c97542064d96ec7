/** Sources that are removed while they are sent, and uploads that are interrupted. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, BROKEN_CONNECTION, onWorkspace } from '../../../test/support/workspace-page.ts';

const HARBOUR = join(import.meta.dirname, '../../../samples/harbour.geojson');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

test('a source that is removed while it is sent comes back by undo, and again by its file', {
  skip,
}, async () => {
  await onWorkspace(service.url, async (page) => {
    let isHeld = true;
    await page.route('**/v1/uploads/*', async (route) => {
      if (isHeld && route.request().method() === 'PATCH') return;
      await route.continue();
    });
    await addFiles(page, HARBOUR);
    await page.getByRole('progressbar', { name: 'Upload of harbour.geojson' }).waitFor();
    const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Remove harbour.geojson' }).click();
    assert.equal((await deleted).status(), 204);
    await page.locator('button:focus', { hasText: 'Choose files…' }).waitFor();
    isHeld = false;
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('10 features, Point').waitFor();
    await page.getByRole('button', { name: 'Remove harbour.geojson' }).click();
    await addFiles(page, HARBOUR);
    await page.getByText('10 features, Point').waitFor();
    await page.getByRole('button', { name: 'Remove harbour.geojson' }).waitFor();
  });
});

test('an upload goes on by itself when the service answers again; a mixed append is named', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const steps = async (page: Page) => {
    let isAway = true;
    await page.route('**/v1/uploads', (route) => (isAway ? route.abort() : route.continue()));
    await addFiles(page, HARBOUR);
    await page.getByRole('alert').getByText('The service does not answer').waitFor();
    isAway = false;
    await page.getByText('10 features, Point').waitFor();
    // The coordinates of the CSV show that they are degrees; nobody stated it.
    const file = join(workspace.path, 'towns.csv');
    writeFileSync(file, 'name,lon,lat\nBremen,8.8072,53.0758\nBerlin,13.4050,52.5200\n');
    await addFiles(page, file);
    await page.getByText('WGS 84, as the coordinates show').waitFor();
    await page.getByLabel('Several files').selectOption('append');
    await page.getByRole('alert').getByText('Only files of one format').waitFor();
  };
  await onWorkspace(service.url, steps, {}, BROKEN_CONNECTION);
});

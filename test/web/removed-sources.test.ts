/** Sources that are removed: what was sent is deleted, and undo or the same file brings them back. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { noBrowser as skip } from '../support/browser.ts';
import { buildWorkspace } from '../support/built-workspace.ts';
import { startTestService } from '../support/service.ts';
import { addFiles, onWorkspace } from '../support/workspace-page.ts';

const HARBOUR = join(import.meta.dirname, '..', '..', 'samples', 'harbour.geojson');
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

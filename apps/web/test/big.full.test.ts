/** A file of which the browser holds only a part: its upload is cut, the map shows a sample, then all features of the view. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { startCuttingProxy } from '../../../test/support/cutting-proxy.ts';
import { MANY, positionOf, writeGeojson } from '../../../test/support/large-files.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, onWorkspaceWithMap } from '../../../test/support/workspace-page.ts';

if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const BYTES = 75_000_000;

/** Points of the file in a box as the filter takes it. */
function countIn([west, south, east, north]: readonly number[]): number {
  let count = 0;
  for (let i = 0; i < MANY; i++) {
    const [x, y] = positionOf(i);
    const isWithin = west <= east ? x >= west && x <= east : x >= west || x <= east;
    if (isWithin && y >= south && y <= north) count++;
  }
  return count;
}

test('a file of 80 MB is sampled; zoomed in, every feature of the view is drawn and counted', {
  skip,
}, async (t) => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'many.geojson');
  writeGeojson(path);
  const cutAt = Math.floor(Math.random() * BYTES);
  t.diagnostic(`the upload is cut after ${cutAt} bytes`);
  await using proxy = await startCuttingProxy(service.url, cutAt);
  const steps = async (page: Page) => {
    await sampleAndZoom(page, path);
    assert.ok(proxy.hasCut);
  };
  // The service may still write the piece, or have more of it than was acknowledged.
  await onWorkspaceWithMap(proxy.url, steps, {}, { complaints: /net::ERR|status of (?:409|423)/ });
});

/** `path`: of the file with MANY points. */
async function sampleAndZoom(page: Page, path: string): Promise<void> {
  const boxes: number[][] = [];
  page.on('request', (request) => {
    const box = /"bbox":(\[[^\]]*\])/.exec(request.postData() ?? '');
    if (box !== null) boxes.push(JSON.parse(box[1]) as number[]);
  });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await addFiles(page, path);
  const legend = page.getByRole('list', { name: 'Layers of the map' });
  await legend.getByText('20,000 of 80,000').waitFor();
  await page.getByText('80,000 features, Point').waitFor();
  await page.getByText('20,000 of 80,000 features drawn. More are drawn where you zoom in.').waitFor();

  const whole = legend.getByText(/^all [\d,]+ in and around this view/);
  const loading = legend.getByText('Loading this view');
  // After a view that took long, the next one is only offered.
  const offer = legend.getByRole('button', { name: 'Load this view' });
  for (let zoomed = 0; zoomed < 12 && !(await whole.isVisible()); zoomed++) {
    await page.getByRole('button', { name: 'Zoom in', exact: true }).click();
    // The first views show as much as the whole: nothing is loaded.
    await loading
      .or(offer)
      .or(whole)
      .first()
      .waitFor({ timeout: 4000 })
      .catch(() => {});
    if (await offer.isVisible()) await offer.click();
    await loading.waitFor({ state: 'detached' });
  }
  const count = Number(/all ([\d,]+)/.exec((await whole.textContent()) ?? '')?.[1].replaceAll(',', ''));
  const last = boxes.at(-1);
  assert.ok(last !== undefined && count > 0);
  assert.equal(count, countIn(last));
  // Those of the view, and those of the sample outside of it.
  await page.getByText(/^[\d,]+ features$/).waitFor();
  await page.getByRole('button', { name: 'Table' }).click();
  await page.getByText(/^the [\d,]+ of 80,000 features shown, 2 fields$/).waitFor();

  await legend.getByRole('button', { name: 'Zoom to many.geojson' }).click();
  await legend.getByText('20,000 of 80,000').waitFor();
}

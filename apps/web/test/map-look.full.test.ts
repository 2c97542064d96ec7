/** What the map shows beside the data: names, colours by field, previews that follow a slider, and tiles. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { check, setLook, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, addStep, onWorkspaceWithMap, showPart } from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const legend = (page: Page) => page.getByRole('list', { name: 'Layers of the map' });

test('the map names places, colours by values, follows sliders and draws tiles', { skip }, async () => {
  using workspace = makeWorkspace();
  const { outputPath } = await convertFile(join(SAMPLES, 'harbour.gpkg'), workspace.path, {
    from: 'gpkg',
    to: 'pmtiles',
  });
  await onWorkspaceWithMap(service.url, async (page, { requests }) => {
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    await legend(page).getByText('4 points').waitFor();

    // Names of what is in view, also for screen readers.
    await page.getByText('In words').click();
    await page.locator('.in-words').getByText('around Bremerhaven, Germany').first().waitFor();
    await page.getByRole('status').filter({ hasText: 'around Bremerhaven, Germany' }).waitFor();
    await page.getByText('In words').click();

    // Colours by a field, from the legend and from the table.
    await legend(page).getByLabel('Colour of harbour.gpkg').selectOption('kind');
    const classes = legend(page).getByRole('list', { name: 'Colours of harbour.gpkg by kind' });
    const texts = await classes.getByRole('listitem').allTextContents();
    assert.ok(texts.length > 2 && texts.every((text) => /\d$/.test(text)), texts.join());
    await check(page, 'map-coloured');

    // The length of a step by a slider: the keys of a slider are enough.
    await addStep(page, 'simplify');
    const slider = page.getByLabel('Try on the map');
    await slider.press('End');
    await page.getByText(/^[\d.]+ k?m: \d+ of \d+ vertices in view are left/).waitFor();
    assert.match((await page.getByLabel('Tolerance').inputValue()) ?? '', /^\d+$/);
    await legend(page).getByRole('checkbox', { name: 'Simplify, preview in this tab' }).waitFor();
    await check(page, 'step-live');
    await page.getByRole('button', { name: 'End the preview' }).click();
    await legend(page)
      .getByRole('checkbox', { name: 'Simplify, preview in this tab' })
      .waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await addStep(page, 'buffer');
    await slider.press('PageUp');
    await page.getByText(/^[\d.]+ k?m around 10 features in view/).waitFor();
    const drawn = await page.getByLabel('Distance').inputValue();
    await page.getByLabel('Distance').fill(`-${drawn}`);
    await page.getByText(/^−[\d.]+ k?m inside 10 features in view/).waitFor();
    await page.getByLabel('Distance').fill(drawn);

    // Tiles that were written are fetched in parts; a file of tiles is only shown.
    await page.getByLabel('Format').selectOption('pmtiles');
    await page.keyboard.press('Control+Enter');
    const tiles = legend(page).getByRole('listitem').filter({ hasText: 'tiles, zoom levels' });
    await tiles.first().waitFor();
    assert.equal(await page.getByText(/^Not drawn/).count(), 0);
    assert.ok(requests.some((url) => /\/result\/output\//.test(url)));
    assert.equal(await page.getByText('features in view').count(), 0, 'a run ends the preview');
    await addFiles(page, outputPath);
    await tiles.nth(1).waitFor();
    await setLook(page, { width: 390, height: 844, isDark: true });
    await showPart(page, 'Files');
    await check(page, 'map-tiles');
    await page.getByRole('button', { name: /^Remove .*pmtiles from the map$/ }).click();
    await tiles.nth(1).waitFor({ state: 'detached' });
  });
});

/** The map of the workspace: what it shows, in pictures and in words. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { check, noBrowser as skip } from '../support/browser.ts';
import { buildWorkspace } from '../support/built-workspace.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { untilShown } from '../support/map-colours.ts';
import { startTestService } from '../support/service.ts';
import { addFiles, onWorkspace } from '../support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '..', '..', 'samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const legend = (page: Page) => page.getByRole('list', { name: 'Layers of the map' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('sources and results are compared by key and by button', { skip }, async () => {
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    await legend(page).getByText('4 points').waitFor();
    assert.deepEqual(await legend(page).locator('.legend-kinds > span').allTextContents(), [
      '4 points',
      '3 lines',
      '3 polygons',
    ]);
    assert.equal(await page.getByRole('group', { name: 'Compare before and after' }).count(), 0);
    await page.getByLabel('Add a step').selectOption('buffer');
    await page.getByLabel('Distance').fill('25');
    await page.getByLabel('Units').selectOption('meters');
    await page.keyboard.press('Control+Enter');
    await legend(page).getByText('10 polygons').waitFor();
    await untilShown(page, ({ result }) => result > 0, 'both');

    const shown = page.getByRole('status').filter({ hasText: 'The map shows' });
    await shown.getByText('The map shows sources and results.').waitFor();
    // In a field the letter is only a letter.
    await page.getByLabel('Add a step').focus();
    await page.keyboard.down('c');
    await page.keyboard.up('c');
    await shown.getByText('The map shows sources and results.').waitFor();
    await button(page, 'Both').focus();
    await page.keyboard.down('c');
    await shown.getByText('The map shows the sources only.').waitFor();
    await untilShown(page, ({ source, result }) => source > 0 && result === 0, 'the sources only');
    await page.keyboard.up('c');
    await untilShown(page, ({ result }) => result > 0, 'both again');

    await button(page, 'After').press('Enter');
    assert.equal(await button(page, 'After').getAttribute('aria-pressed'), 'true');
    assert.equal(await button(page, 'Both').getAttribute('aria-pressed'), 'false');
    await untilShown(page, ({ source, result }) => source === 0 && result > 0, 'the results only');
    await check(page, 'map-compared');
  });
});

test('layers of a file are switched off one by one, and features are reached by number', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const { outputPath } = await convertFile(join(SAMPLES, 'harbour.gpkg'), workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    split: { field: 'kind', into: 'layers' },
  });
  for (const look of [{}, { width: 390, height: 844, isDark: true }])
    await onWorkspace(
      service.url,
      async (page) => {
        await addFiles(page, outputPath);
        const parts = page.getByRole('list', { name: /^Layers of .*gpkg$/ }).getByRole('checkbox');
        await parts.first().waitFor();
        assert.ok((await parts.count()) > 2);
        const isLight = look.isDark !== true;
        if (isLight) await untilShown(page, ({ source }) => source > 0, 'all layers');
        for (const part of (await parts.all()).slice(1)) await part.uncheck();
        await parts.first().uncheck();
        if (isLight) await untilShown(page, ({ source }) => source === 0, 'no layer');
        await parts.first().check();
        if (isLight) await untilShown(page, ({ source }) => source > 0, 'the first layer');

        await page.getByRole('button', { name: /^Features of .*, one by one$/ }).press('Enter');
        const card = page.getByRole('region', { name: 'Attributes' });
        await card.getByText('Feature 1 of 10, polygon').waitFor();
        const number = card.getByLabel('Number of the feature');
        assert.ok(await number.evaluate((element) => element.matches(':focus')));
        await number.fill('10');
        await number.press('Enter');
        await card.getByText('Feature 10 of 10').waitFor();
        assert.ok(await card.getByRole('button', { name: 'Next feature' }).isDisabled());
        await card.getByRole('button', { name: 'Previous feature' }).press('Enter');
        await card.getByText('Feature 9 of 10').waitFor();
        await card.getByRole('button', { name: 'Zoom to this feature' }).press('Enter');
        await check(page, 'map-features');
        await card.getByRole('button', { name: 'Close the attributes' }).press('Enter');
        await card.waitFor({ state: 'detached' });
      },
      look,
    );
});

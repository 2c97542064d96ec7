/** The table of the workspace in a real browser. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { startTestService } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import { addFiles, onWorkspace, onWorkspaceWithMap } from '../../../test/support/workspace-page.ts';

if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const HOSTILE = '<img src=x onerror="document.title=1">';
const ARABIC = 'شارع الملك';

/** `count` squares with `fields` fields; the first is `name`. */
function writeSquares(path: string, count: number, fields: number): void {
  const features = Array.from({ length: count }, (_, i) => {
    const [x, y] = [8 + (i % 150) / 1000, 53 + Math.floor(i / 150) / 1000];
    const ring = [
      [x, y],
      [x + 0.0008, y],
      [x + 0.0008, y + 0.0008],
      [x, y + 0.0008],
      [x, y],
    ];
    const others = Array.from({ length: fields - 1 }, (_, f) => [`${HOSTILE}${f}`, f === 1 ? null : i * f]);
    const name = i === 1 ? HOSTILE : i === 2 ? ARABIC : `plot ${count - i}`;
    const properties = Object.fromEntries([['name', name], ...others]);
    return { type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [ring] } };
  });
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
}

const focusedText = (page: Page) => page.locator(':focus').textContent();
const openTable = async (page: Page) => {
  await page.getByRole('button', { name: 'Table' }).press('Enter');
  await page.getByRole('grid').waitFor();
};

test('the table is read, sorted, searched and resized by keyboard, and writes steps', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'plots.geojson');
  writeSquares(file, 400, 300);
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, file);
    await page.getByText('400 features, Polygon').waitFor();
    await openTable(page);
    const grid = page.getByRole('grid', { name: 'Attributes of plots.geojson' });
    assert.equal(await grid.getAttribute('aria-rowcount'), '401');
    assert.equal(await grid.getAttribute('aria-colcount'), '300');
    assert.ok((await page.getByRole('gridcell').count()) < 600, 'cells out of view exist');
    assert.equal(await page.locator('.table-drawer img').count(), 0);
    await check(page, 'workspace-table');

    await grid.locator('[tabindex="0"]').focus();
    assert.equal(await focusedText(page), 'plot 400');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focusedText(page), HOSTILE);
    await page.keyboard.press('Control+End');
    assert.equal(await focusedText(page), String(399 * 298));
    // The cell with the focus stays when it is scrolled out of view.
    await page.locator('.grid-scroller').evaluate((element) => element.scrollTo(0, 0));
    await page.getByRole('gridcell', { name: 'plot 400' }).waitFor();
    assert.equal(await focusedText(page), String(399 * 298));
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Column name' }).waitFor();
    await check(page, 'workspace-column');
    await page.getByRole('button', { name: 'Sort ascending' }).press('Enter');
    await page.locator('[role="columnheader"][aria-sort="ascending"]').waitFor();
    await page.getByLabel('Search within all 400 features').fill('plot 39');
    await page.getByText('9 found within all 400 features, 300 fields').waitFor();

    const separator = page.getByRole('separator', { name: 'Height of the table' });
    const before = Number(await separator.getAttribute('aria-valuenow'));
    await separator.press('ArrowUp');
    assert.equal(Number(await separator.getAttribute('aria-valuenow')), before + 24);

    await grid.locator('[tabindex="0"]').focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Shift+F10');
    await page.getByRole('button', { name: 'Keep only where it is “plot 39”' }).press('Enter');
    const condition = page.getByRole('group', { name: 'Condition 1' });
    assert.equal(await condition.getByLabel('Field').inputValue(), 'name');
    assert.equal(await condition.getByLabel('Value').inputValue(), 'plot 39');
  });
});

test('a row is found on the map and a feature of the map in the table', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'plots.geojson');
  writeSquares(file, 18_000, 3);
  for (const look of [{}, { width: 390, height: 844, isDark: true }])
    await onWorkspaceWithMap(
      service.url,
      async (page) => {
        await addFiles(page, file);
        await page.getByText('18,000 features, Polygon').waitFor();
        await openTable(page);
        await page.getByRole('gridcell', { name: ARABIC }).click();
        await page.locator('[role="row"][aria-selected="true"]').getByText(ARABIC).waitFor();
        // The map shows the attributes, and centres the feature.
        await page.getByRole('region', { name: 'Attributes' }).getByText(ARABIC).waitFor();
        await check(page, 'workspace-table-row');
        await page.getByRole('button', { name: 'Close the attributes' }).click();
        const map = page.locator('.maplibregl-canvas');
        await map.scrollIntoViewIfNeeded();
        // Clicked until the map has moved there and answers.
        const attributes = page.getByRole('region', { name: 'Attributes' });
        await until('a click on the map shows the attributes', async () => {
          if (await attributes.getByText(ARABIC).isVisible()) return true;
          await map.click();
          await attributes.waitFor({ timeout: 1000 }).catch(() => null);
          return false;
        });
        await page.locator('[role="row"][aria-selected="true"]').getByText(ARABIC).waitFor();
      },
      look,
    );
});

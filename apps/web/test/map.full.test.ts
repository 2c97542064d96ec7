/** The map of the workspace: what it shows, in pictures and in words. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { untilShown } from '../../../test/support/map-colours.ts';
import { startTestService } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import {
  addFiles,
  addStep,
  BROKEN_CONNECTION,
  LOOKS,
  onWorkspaceWithMap,
} from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const legend = (page: Page) => page.getByRole('list', { name: 'Layers of the map' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function untilChanged(element: Locator, text: string | null): Promise<void> {
  await until(`the text is not '${text}' any more`, async () => (await element.textContent()) !== text);
}

test('sources and results are compared by key and by button', { skip }, async () => {
  await onWorkspaceWithMap(service.url, async (page) => {
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    await legend(page).getByText('4 points').waitFor();
    assert.deepEqual(await legend(page).locator('.legend-kinds > span').allTextContents(), [
      '4 points',
      '3 lines',
      '3 polygons',
    ]);
    assert.equal(await page.getByRole('group', { name: 'Compare before and after' }).count(), 0);
    await addStep(page, 'buffer');
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

test('a base map that could not be loaded is loaded when the service answers again', { skip }, async () => {
  const steps = async (page: Page) => {
    let failures = 0;
    await page.route('**/assets/detailed-base-map*', (route) =>
      ++failures <= 2 ? route.abort('connectionrefused') : route.continue(),
    );
    const loaded = page.waitForResponse(/detailed-base-map/);
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    assert.ok((await loaded).ok());
    assert.equal(failures, 3);
  };
  await onWorkspaceWithMap(service.url, steps, {}, BROKEN_CONNECTION);
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
  for (const look of LOOKS)
    await onWorkspaceWithMap(
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

test('data without a position on the Earth is drawn on plain paper, beside data that has one', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const fiji = join(workspace.path, 'fiji.geojson');
  const feature = (geometry: object | null) => ({ type: 'Feature', properties: { n: 1 }, geometry });
  const points = [
    [178.4, -18.1],
    [-178.8, -18.2],
  ].map((coordinates) => ({ type: 'Point', coordinates }));
  const features = [{ type: 'Polygon', coordinates: [] }, null, ...points].map(feature);
  writeFileSync(fiji, JSON.stringify({ type: 'FeatureCollection', features }));
  const status = (page: Page) => page.getByRole('status').filter({ hasText: 'r2010.dxf:' });
  for (const look of LOOKS)
    await onWorkspaceWithMap(
      service.url,
      async (page) => {
        await addFiles(page, join(import.meta.dirname, '../../../test/fixtures/dxf/r2010.dxf'));
        await status(page)
          .getByText(
            '4 points, 11 lines, 4 polygons on plain paper near x 37.5, y 35.7, 75 units wide, 71.4 units high',
          )
          .waitFor();
        // Its coordinates are those of a plan: systems are proposed only if the user asks for them.
        await page.getByRole('button', { name: /^Local: no position on the Earth/ }).waitFor();
        await page.locator('.scale-bar').getByText('units').waitFor();
        await button(page, 'Systems that fit the coordinates…').press('Enter');
        // While they are proposed the map shows where they would put it, and the shape beside it.
        await page.getByText('Shape of r2010.dxf').waitFor({ state: look.isDark ? 'attached' : 'visible' });
        await button(page, 'On plain paper').press('Enter');
        await page.locator('.scale-bar').getByText('units').waitFor();
        if (look.isDark !== true) await untilShown(page, ({ source }) => source > 500, 'the drawing');
        await page.mouse.move((look.width ?? 1440) - 150, 200);
        await page
          .locator('.cursor')
          .getByText(/^x [\d.,-]+, y [\d.,-]+$/)
          .waitFor();
        await check(page, 'map-paper');

        await addFiles(page, fiji);
        await legend(page).getByText('2 without geometry').waitFor();
        await page.getByRole('button', { name: 'Zoom to fiji.geojson' }).press('Enter');
        assert.equal(await button(page, 'On the Earth').getAttribute('aria-pressed'), 'true');
        await status(page)
          .getByText(/near 179\.80° E, 18\.15° S \(.*Fiji\), 296 km wide/)
          .waitFor();
        await page.getByText('In words').press('Enter');
        await page.getByText(/^The map shows 17\d\.\d+° E to 17\d\.\d+° W/).waitFor();
        await page.locator('.scale-bar').getByText('km').waitFor();
        if (look.isDark !== true)
          await untilShown(page, ({ source, result }) => source + result > 50, 'both points');
        await check(page, 'map-antimeridian');
      },
      look,
    );
});

test('the map itself is moved and zoomed by keyboard, with finer grid lines', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const pole = join(workspace.path, 'pole.geojson');
  writeFileSync(pole, JSON.stringify({ type: 'Point', coordinates: [10, 90] }));
  await onWorkspaceWithMap(service.url, async (page) => {
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    await legend(page).getByText('4 points').waitFor();
    // The map has moved to the data.
    await page.locator('.scale-bar', { hasText: /\d m$/ }).waitFor();
    const map = page.getByRole('region', { name: 'Map: arrow keys move it, plus and minus zoom' });
    await map.focus();
    // Chromium shows focus that a key moved there.
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid');
    assert.ok(await map.evaluate((element) => element.matches(':focus-visible')));
    await page.getByText('In words').press('Enter');
    const view = page.getByText(/^The map shows/).last();
    const before = await view.textContent();
    await map.focus();
    await page.keyboard.press('ArrowRight');
    await untilChanged(view, before);
    const scale = await page.locator('.scale-bar').textContent();
    await page.keyboard.press('+');
    await untilChanged(page.locator('.scale-bar'), scale);
    await page
      .locator('.grid-labels .bottom')
      .getByText(/^8\.\d{2,}° E$/)
      .first()
      .waitFor();

    // Web Mercator ends before the poles.
    await addFiles(page, pole);
    await page.getByRole('button', { name: 'Zoom to pole.geojson' }).press('Enter');
    await page.getByRole('status').getByText('what is near a pole is drawn at the edge of the map').waitFor();
    await page.getByText(/^The map shows .* to 85\.\d+° N(?:, .*)?\.$/).waitFor();
    // The second layer has another colour than the first.
    await untilShown(page, ({ source, result }) => source + result > 10, 'the pole');
  });
});

test('files that are far apart have rings where they are too small to be seen', { skip }, async () => {
  using workspace = makeWorkspace();
  const paths = [10.7, 115.8].map((west, i) => {
    const ring = [
      [0, 0],
      [0.01, 0],
      [0, 0.01],
      [0, 0],
    ].map(([x, y]) => [west + x, y - 20]);
    const feature = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } };
    const path = join(workspace.path, `far-${i}.geojson`);
    writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features: [feature] }));
    return path;
  });
  await onWorkspaceWithMap(service.url, async (page) => {
    await addFiles(page, ...paths);
    await untilShown(page, ({ source, result }) => source > 20 && result > 20, 'both rings');
    await page.getByRole('button', { name: 'Zoom to far-0.geojson' }).press('Enter');
    await untilShown(page, ({ source, result }) => source + result > 200, 'the polygon itself');
  });
});

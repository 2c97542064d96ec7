/** The frame of the workspace: palette, shortcuts, and the tabs of narrow windows. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, addStep, onWorkspace } from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const palette = (page: Page) => page.getByRole('dialog', { name: 'Find a command' });
const format = (page: Page) => page.getByLabel('Format', { exact: true });
const focused = (page: Page) => page.locator(':focus');

async function choose(page: Page, query: string, title: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  // Nothing is waited for: the first key already goes to the palette.
  await page.keyboard.type(query);
  const option = palette(page).getByRole('option', { name: title });
  await option.waitFor();
  await palette(page).locator('[aria-selected="true"]').getByText(title).waitFor();
  await page.keyboard.press('Enter');
  await palette(page).waitFor({ state: 'hidden' });
}

test('the palette does by keyboard what the page can do, and says so to screen readers', {
  skip,
}, async () => {
  await onWorkspace(service.url, async (page) => {
    await page.getByRole('button', { name: 'Find a command' }).click();
    const search = palette(page).getByRole('combobox', { name: 'Find a command' });
    assert.equal(await search.getAttribute('aria-expanded'), 'true');
    assert.ok((await palette(page).getByRole('option').count()) > 20);
    await page.keyboard.press('Control+k');
    await palette(page).waitFor({ state: 'hidden' });

    await choose(page, 'sample', 'Add the sample file');
    await page.getByText('10 features, Point').waitFor();
    await choose(page, 'buff', 'Add step: Buffer');
    await page.getByLabel('Distance').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('25');
    assert.equal(await page.getByLabel('Distance').inputValue(), '25');
    await page.getByLabel('Units').selectOption('meters');
    await choose(page, 'format geop', 'Output format: GeoPackage');
    await choose(page, '25832', /^Output CRS: EPSG:25832 /);
    await page.locator('#part-output').getByText('EPSG:25832').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('ArrowDown');
    const active = await search.getAttribute('aria-activedescendant');
    assert.equal(await page.locator(`[id="${active}"]`).getAttribute('aria-selected'), 'true');
    // The last that was used comes first.
    const options = palette(page).getByRole('option');
    assert.match((await options.first().textContent()) ?? '', /^Output format: GeoPackage/);
    await search.fill('no such thing');
    await palette(page).getByRole('status').getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'hidden' });
    await choose(page, 'curl', 'Copy as: curl');
    await page.getByRole('dialog', { name: 'Run this job elsewhere' }).getByText('distance').waitFor();
    await page.keyboard.press('Escape');
    await choose(page, 'convert', /^Convert/);
    await page.getByRole('link', { name: /^Download (?!findings)/ }).waitFor();
    await choose(page, 'table', /^Open or close the table/);
    await page.getByRole('grid').waitFor();
    const chooser = page.waitForEvent('filechooser');
    await choose(page, 'add files', /^Add files/);
    await chooser;
  });
});

test('the list of shortcuts has what buttons state, and single keys can be switched off', {
  skip,
}, async () => {
  await onWorkspace(service.url, async (page) => {
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByRole('region', { name: 'Everywhere' }).waitFor();
    const stated = await page
      .locator('button[aria-keyshortcuts]')
      .evaluateAll((buttons) =>
        buttons.flatMap((button) => (button.getAttribute('aria-keyshortcuts') ?? '').split(' ')),
      );
    const listed = await list
      .getByRole('region', { name: 'Everywhere' })
      .locator('.keys')
      .evaluateAll((lists) =>
        lists.map((keys) => [...keys.querySelectorAll('kbd')].map((key) => key.textContent).join('+')),
      );
    for (const keys of stated) assert.ok(listed.includes(keys.replace('Control', 'Ctrl')), keys);
    assert.ok(stated.length >= 4);
    await list.getByLabel('Shortcuts of a single key').uncheck();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    assert.equal(await list.isVisible(), false);
    await page.keyboard.press('Escape');
  });
});

test('no shortcut fires while someone types, and none changes the page under a dialog', {
  skip,
}, async () => {
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, join(SAMPLES, 'harbour.geojson'));
    await page.getByText('10 features, Point').waitFor();
    await page.getByText('Paste text').click();
    const box = page.getByLabel('GeoJSON, WKT or a job document');
    await box.focus();
    await page.keyboard.type('1234t?zZyoK');
    assert.equal(await box.inputValue(), '1234t?zZyoK');
    await page.keyboard.press('Control+z');
    assert.equal(await page.getByText('10 features, Point').count(), 1, 'undo was that of the field');
    // Tab leaves the field.
    await page.keyboard.press('Tab');
    assert.notEqual(await focused(page).evaluate((element) => element.tagName), 'TEXTAREA');
    await format(page).focus();
    await page.keyboard.press('t');
    assert.equal(await page.getByRole('grid').count(), 0);

    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'hidden' });
    assert.equal(await page.getByText('Done', { exact: true }).count(), 0);
    await format(page).and(page.locator(':focus')).waitFor();
  });
});

test('a narrow window has tabs over the map that are used without a drag', { skip }, async () => {
  await onWorkspace(
    service.url,
    async (page) => {
      const tab = (name: RegExp) => page.getByRole('tab', { name });
      const panel = (name: RegExp) => page.getByRole('tabpanel', { name });
      const height = (label: string) => page.getByRole('button', { name: label });
      await page.getByRole('heading', { name: 'Convert vector geodata, and see what changed' }).waitFor();
      assert.equal(await height('Raise the panel').isDisabled(), true);
      await addFiles(page, join(SAMPLES, 'harbour.geojson'));
      await panel(/^Files/)
        .getByText('10 features, Point')
        .waitFor();
      // The first data makes room for the map.
      const map = page.getByRole('region', { name: 'Map and layers' });
      await panel(/^Files/)
        .getByRole('checkbox', { name: 'harbour.geojson' })
        .waitFor();
      assert.ok(((await map.boundingBox())?.height ?? 0) > 200);
      await tab(/^Files/).focus();
      await page.keyboard.press('ArrowRight');
      assert.equal(await tab(/^Steps/).getAttribute('aria-selected'), 'true');
      await panel(/^Steps/).waitFor();
      assert.equal(await panel(/^Files/).count(), 0);
      await addStep(page, 'buffer');
      await page.getByLabel('Distance').fill('25');
      await tab(/^Steps 1/).waitFor();
      await check(page, 'workspace-phone-steps');
      await page.keyboard.press('Escape');
      await tab(/^Output/).click();
      await panel(/^Output/).waitFor();
      await height('Lower the panel').click();
      await panel(/^Output/).waitFor({ state: 'hidden' });
      assert.equal(await height('Lower the panel').isDisabled(), true);
      await page.getByRole('button', { name: 'Table' }).click();
      await page.getByRole('grid').waitFor();
      await check(page, 'workspace-phone-table');
      // A raised sheet closes the table.
      await tab(/^Steps/).click();
      await page.getByRole('grid').waitFor({ state: 'hidden' });
      await page.getByLabel('Units').selectOption('meters');
      // A new job shows its result.
      await page.getByRole('button', { name: 'Convert', exact: true }).click();
      await panel(/^Result/)
        .getByRole('link', { name: /^Download (?!findings)/ })
        .waitFor();
      for (const target of await page
        .locator('.run-bar button, [role="tab"], .sheet-bar button, a.primary')
        .all())
        assert.ok(((await target.boundingBox())?.height ?? 0) >= 44, (await target.textContent()) ?? '');
      // What was typed is still there in a wide window.
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.getByRole('tablist').waitFor({ state: 'detached' });
      assert.equal(await page.getByLabel('Distance').inputValue(), '25');
    },
    { width: 390, height: 844 },
  );
});

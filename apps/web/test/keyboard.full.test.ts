/** A whole job by keyboard alone, and what screen readers are told in each of its states. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { IS_EXHAUSTIVE } from '../../../test/support/exhaustive.ts';
import { runCli } from '../../../test/support/run-cli.ts';
import { startTestService } from '../../../test/support/service.ts';
import { onWorkspace } from '../../../test/support/workspace-page.ts';

if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

/** More than the page has at any time. */
const MAX_STOPS = 120;
const POINTS = Array.from({ length: 40 }, (_, i) => [
  i,
  i % 2 === 0 ? 'light' : 'buoy',
  468_000 + 130 * i,
  5_930_000 + ((i * 37) % 400),
]);

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    if ((await target.and(page.locator(':focus')).count()) === 1) return;
    await page.keyboard.press(key);
  }
  assert.fail(`Tab does not reach ${target}`);
}

/** Each line, in its order, is in the accessibility tree, as roles, names and states. */
async function assertTree(page: Page, ...lines: readonly string[]): Promise<void> {
  const tree = (await page.locator('body').ariaSnapshot()).split('\n').map((line) => line.trim());
  let at = -1;
  for (const line of lines) {
    const next = tree.findIndex((one, i) => i > at && one.startsWith(line));
    assert.ok(next > at, `'${line}' is not in the tree after '${tree[at] ?? ''}':\n${tree.join('\n')}`);
    at = next;
  }
}

/** A command of the palette. */
async function command(page: Page, query: string, title: RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(query);
  const dialog = page.getByRole('dialog', { name: 'Find a command' });
  await dialog.getByRole('option', { name: title, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
}

test('a job without a mouse: add, place, buffer, dissolve, run, download; the bytes are those of the command line', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const survey = join(workspace.path, 'survey.csv');
  writeFileSync(survey, `id,kind,x,y\n${POINTS.map((point) => point.join(',')).join('\n')}\n`);
  await onWorkspace(service.url, async (page) => {
    await assertTree(
      page,
      '- banner:',
      '- heading "geomill" [level=1]',
      '- button "Undo" [disabled]',
      '- button "Find a command"',
      '- navigation "Service":',
      '- main:',
      '- region "Sources":',
      '- button "Choose files…"',
      '- region "Steps":',
      '- combobox "Add a step"',
      '- region "Output":',
      '- combobox "Format":',
      '- region "Result":',
      '- button "Convert" [disabled]',
      '- region "Map and layers":',
      '- heading "Convert vector geodata, and see what changed" [level=2]',
      '- list "Formats":',
    );
    const chooser = page.waitForEvent('filechooser');
    await tabTo(page, page.getByRole('button', { name: 'Choose files…' }));
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(survey);

    const search = page.getByRole('combobox', { name: /^Search a coordinate/ }).first();
    await tabTo(page, search);
    await page.keyboard.type('25832');
    await page.getByRole('option', { name: /EPSG:25832/, selected: true }).waitFor();
    assert.equal(await search.getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('Enter');
    const layers = page.getByRole('list', { name: 'Layers of the map' });
    await layers.getByRole('checkbox', { name: 'survey.csv' }).waitFor();
    await assertTree(
      page,
      '- region "Sources":',
      '- strong: survey.csv',
      '- button "Remove survey.csv"',
      '- region "Map and layers":',
      // Maps are drawn only in exhaustive runs.
      ...(IS_EXHAUSTIVE ? [] : ['- paragraph: This browser cannot draw the map']),
      '- list "Layers of the map":',
      '- checkbox "survey.csv" [checked]',
      '- button "Zoom to survey.csv"',
      ...(IS_EXHAUSTIVE ? ['- group "Zoom":'] : []),
    );

    await tabTo(page, page.getByRole('combobox', { name: 'Add a step' }));
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: /^Drop duplicates/, selected: true }).waitFor();
    assert.equal(await page.getByLabel('Distance').count(), 0);
    await page.keyboard.type('buf');
    await page.getByRole('option', { name: /^Buffer/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    // The first field of a new step has the focus.
    await page.locator('input:focus[aria-invalid="true"]').waitFor();
    await assertTree(
      page,
      '- spinbutton "Distance',
      '- status:',
      '- button "Enter a distance for step 1 (Buffer)."',
      '- button "Convert" [disabled]',
    );
    await page.keyboard.type('120');
    await tabTo(page, page.getByLabel('Units'));
    await page.keyboard.type('meters');
    await command(page, 'dissolve', /^Add step: Dissolve/);
    await tabTo(page, page.getByRole('list', { name: 'By' }).getByRole('checkbox', { name: 'kind' }));
    await page.keyboard.press('Space');
    await command(page, 'format geoj', /^Output format: GeoJSON/);
    const forecast = page.getByRole('region', { name: 'What this output will lose' });
    await forecast.getByText('40 features read, 2 written').waitFor();
    await assertTree(page, '- status', '- region "Output":', '- region "What this output will lose":');
    await page.keyboard.press('Control+Enter');

    const link = page.getByRole('link', { name: /^Download survey\.geojson/ });
    await link.waitFor();
    await assertTree(
      page,
      '- group "Buffer, step 1":',
      '- group "Dissolve, step 2":',
      '- region "Result":',
      '- strong: survey.csv',
      '- status: Done',
      '- link "Download survey.geojson',
      '- term: read',
      '- term: written',
    );
    await layers
      .getByRole('checkbox', { name: /survey\.csv, converted|Result/ })
      .first()
      .waitFor();
    const sides = page.getByRole('group', { name: 'Compare before and after' });
    await tabTo(page, sides.getByRole('button', { name: 'Before' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await sides.getByRole('button', { name: 'Before', pressed: true }).waitFor();
    await tabTo(page, link);
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    const saved = join(workspace.path, 'saved.geojson');
    await download.saveAs(saved);

    const out = join(workspace.path, 'cli.geojson');
    const steps = ['--buffer', '120m', '--dissolve', 'kind'];
    const { status, err } = await runCli(['convert', survey, out, '--from-crs', 'EPSG:25832', ...steps], {});
    assert.equal(status, 0, err);
    assert.deepEqual(readFileSync(saved), readFileSync(out));
    assert.equal(JSON.parse(readFileSync(saved, 'utf8')).features.length, 2);
  });
});

/** Every state of the workspace in every look: nothing for axe to find, nothing wider than the window. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { onePoint } from '../../../test/support/raw-shapefile.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, addStep, checkEverywhere, onWorkspace } from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Holds up requests until `release`. */
async function holdUp(page: Page, url: string): Promise<() => Promise<void>> {
  const held: Route[] = [];
  let isHolding = true;
  await page.route(url, (route) => {
    if (isHolding) held.push(route);
    else return route.continue();
  });
  return async () => {
    isHolding = false;
    // The page may have given up on a request meanwhile.
    for (const route of held) await route.continue().catch(() => {});
  };
}

test('sources: none, pasted, loading, failed, refused, without a CRS', { skip }, async () => {
  using workspace = makeWorkspace();
  const [broken, survey, letter] = ['broken.geojson', 'survey.shp', 'letter.docx'].map((name) =>
    join(workspace.path, name),
  );
  writeFileSync(broken, '{"type":"FeatureCollection","features":[');
  writeFileSync(survey, onePoint(530_000, 180_000));
  writeFileSync(letter, 'PK');
  await onWorkspace(service.url, async (page) => {
    await checkEverywhere(page, 'state-start');
    await page.getByText('Paste text').click();
    const box = page.getByLabel('GeoJSON, WKT or a job document');
    await box.fill('no geodata');
    await button(page, 'Add').click();
    await page.getByRole('alert').getByText('not GeoJSON, WKT').waitFor();
    await checkEverywhere(page, 'state-paste');
    await box.fill('');
    await page.getByText('Paste text').click();

    const release = await holdUp(page, '**/v1/inspect*');
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('Reading…').waitFor();
    await checkEverywhere(page, 'state-loading');
    await release();
    await page.getByText('10 features, Point').waitFor();
    await button(page, 'Remove harbour.gpkg').click();

    await addFiles(page, broken);
    await page.getByRole('alert').first().waitFor();
    await addFiles(page, letter);
    await page.getByRole('alert').getByText('letter.docx: This format is not supported.').waitFor();
    await checkEverywhere(page, 'state-source-failed');
    await button(page, 'Remove broken.geojson').click();
    await button(page, 'Dismiss').click();

    await addFiles(page, survey);
    await page.getByRole('button', { name: /EPSG:27700/ }).waitFor();
    await checkEverywhere(page, 'state-without-crs');
  });
});

test('jobs: a step with an error, a forecast, running, done, failed, and the dialogs', { skip }, async () => {
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('10 features, Point').waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('shp');
    await addStep(page, 'filter');
    await page.getByRole('button', { name: 'As text' }).click();
    await page.getByLabel('Condition', { exact: true }).fill('kind =');
    const forecast = page.getByRole('region', { name: 'What this output will lose' });
    await forecast.getByText('It would fail').waitFor();
    assert.ok(await button(page, 'Convert').isDisabled());
    await checkEverywhere(page, 'state-step-error');
    // A run that starts before the check has answered.
    const answer = await holdUp(page, '**/v1/inspect*');
    await page.getByLabel('Condition', { exact: true }).fill('kind <');
    await button(page, 'Convert').click();
    await page.locator('#part-result').getByRole('alert').waitFor();
    await answer();
    await checkEverywhere(page, 'state-failed');
    await page.getByLabel('Condition', { exact: true }).fill("kind = 'quay'");
    await forecast.getByText('10 features read, 2 written').waitFor();
    await checkEverywhere(page, 'state-forecast');

    const release = await holdUp(page, '**/v1/jobs/*/events*');
    await button(page, 'Convert').click();
    await button(page, 'Cancel').waitFor();
    await checkEverywhere(page, 'state-running');
    await release();
    await page.getByRole('link', { name: /^Download (?!findings)/ }).waitFor();
    await page.getByRole('checkbox', { name: 'harbour.gpkg, converted' }).waitFor();
    await checkEverywhere(page, 'state-result');
    await button(page, 'Table').click();
    await page.getByRole('grid').waitFor();
    // A phone has room for the table only when the sheet is low.
    await checkEverywhere(page, 'state-table');
    await button(page, 'Table').click();

    for (const [key, name] of [
      ['Control+k', 'Find a command'],
      ['?', 'Keyboard shortcuts'],
    ]) {
      await page.getByRole('heading', { name: 'geomill' }).click();
      await page.keyboard.press(key);
      await page.getByRole('dialog', { name }).waitFor();
      await checkEverywhere(page, `state-${name.toLowerCase().replaceAll(' ', '-')}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name }).waitFor({ state: 'hidden' });
    }
    await button(page, 'Copy as…').click();
    await page.getByRole('dialog').getByText('curl').first().waitFor();
    await checkEverywhere(page, 'state-copy');
    await page.keyboard.press('Escape');
    await button(page, 'Earlier jobs…').click();
    await page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').first().waitFor();
    await checkEverywhere(page, 'state-history');
  });
});

test('motion stops where people ask for that', { skip }, async () => {
  await onWorkspace(service.url, async (page) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const release = await holdUp(page, '**/v1/inspect*');
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('Reading…').waitFor();
    const moving = await page.evaluate(
      "document.getAnimations().filter(({ playState }) => playState === 'running').length",
    );
    assert.equal(moving, 0);
    await release();
    await page.getByText('10 features, Point').waitFor();
  });
});

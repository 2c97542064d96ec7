/** Results of all formats on the map, as sources, and in the list of earlier jobs. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, addStep, onWorkspace } from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

test('results of every format are drawn, become sources, and are opened again later', { skip }, async () => {
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('10 features, Point').waitFor();
    await addStep(page, 'envelope');
    const layers = page.getByRole('list', { name: 'Layers of the map' });
    for (const format of ['shp', 'gpkg', 'dxf', 'csv']) {
      await page.getByLabel('Format', { exact: true }).selectOption(format);
      await page.getByRole('button', { name: 'Convert', exact: true }).click();
      await page.getByRole('link', { name: /^Download (?!findings)/ }).waitFor();
      await layers.getByRole('checkbox', { name: 'harbour.gpkg, converted' }).waitFor();
    }
    // The output is a CSV in the CRS of the source, which the page states for it.
    await page.getByRole('button', { name: 'Use as source' }).click();
    await layers.getByRole('checkbox', { name: 'harbour.csv' }).first().waitFor();
    await page.getByRole('button', { name: 'Remove harbour.gpkg' }).click();

    await page.getByRole('button', { name: 'Earlier jobs…' }).click();
    const jobs = page.getByRole('list', { name: 'Jobs' }).locator('> li');
    await jobs.first().waitFor();
    await check(page, 'workspace-history');
    // No previews or inspections of the page itself.
    assert.equal(await jobs.count(), 4);
    await jobs.last().getByRole('button', { name: 'Open again' }).click();
    await page.getByRole('dialog', { name: 'Earlier jobs' }).waitFor({ state: 'hidden' });
    assert.equal(await page.getByLabel('Format', { exact: true }).inputValue(), 'shp');
    await page.getByText('Envelope', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Earlier jobs…' }).click();
    await jobs.last().getByRole('button', { name: 'Delete' }).click();
    await jobs.nth(3).waitFor({ state: 'detached' });
    await page.getByLabel('State').selectOption('FAILED');
    await page.getByText('No jobs.').waitFor();
  });
});

test('an output is divided by the values of a field', { skip }, async () => {
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('10 features, Point').waitFor();
    await page.getByText('Options for writing').click();
    await page.getByLabel('Split by').fill('kind');
    await page.getByLabel('Format', { exact: true }).selectOption('csv');
    assert.equal(await page.getByLabel('Split by').inputValue(), 'kind');
    await check(page, 'workspace-split');
    await page.getByRole('button', { name: 'Convert', exact: true }).click();
    await page.getByRole('link', { name: 'Download harbour.zip' }).waitFor();
    await page.getByText('Not drawn: The files are in a zip archive').waitFor();
  });
});

test('a result that the service cannot read becomes no source', { skip }, async () => {
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('10 features, Point').waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('pmtiles');
    await page.getByRole('button', { name: 'Convert', exact: true }).click();
    await page.getByRole('link', { name: 'Download harbour.pmtiles' }).waitFor();
    await page.getByRole('button', { name: 'Copy link' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Use as source' }).count(), 0);
  });
});

/** The cards of steps in the workspace: sentences, controls by the schema, the list of conditions, errors at their control. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { startTestService } from '../../../test/support/service.ts';
import {
  addFiles,
  addStep,
  NARROW_LOOKS,
  onWorkspace,
  onWorkspaceWithMap,
  openMore,
  showPart,
} from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const condition = (page: Page, number: number) => page.getByRole('group', { name: `Condition ${number}` });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const summary = (page: Page, title: string) => page.locator('.cards summary', { hasText: title });

async function addHarbour(page: Page): Promise<void> {
  await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
  await page.getByText('10 features, Point').waitFor();
  await showPart(page, 'Steps');
}

test('conditions are built from rows by the types of the fields, and are the same as text', {
  skip,
}, async () => {
  for (const look of NARROW_LOOKS)
    await onWorkspace(
      service.url,
      async (page) => {
        await addHarbour(page);
        await addStep(page, 'filter');
        await condition(page, 1).getByLabel('Field').selectOption('kind');
        await condition(page, 1).getByLabel('Value').fill('quay');
        await page.getByText('10 → 2').waitFor();
        await page.getByText('−8', { exact: true }).waitFor();
        await button(page, 'Add a condition').click();
        await condition(page, 2).getByLabel('Field').selectOption('built');
        await condition(page, 2).getByLabel('Comparison').selectOption('not between');
        await condition(page, 2).getByLabel('From').fill('1900');
        // A row that is not complete does not count.
        await summary(page, 'Filter').getByText("kind = 'quay'", { exact: true }).waitFor();
        await condition(page, 2).getByLabel('To').fill('1950');
        await page.getByLabel('Features that meet').selectOption('or');
        await summary(page, 'Filter').getByText("kind = 'quay' or built not between 1900 and 1950").waitFor();
        await check(page, 'steps-conditions');
        await button(page, 'As text').click();
        const where = page.getByLabel('Condition', { exact: true });
        assert.equal(await where.inputValue(), "kind = 'quay' or built not between 1900 and 1950");
        await where.fill("(kind = 'quay')");
        await page.getByText('it is more than a list of comparisons').waitFor();
        assert.equal(await button(page, 'As a list').count(), 0);
        await where.fill('kind =');
        await page.getByText(/^Is not understood at character 7/).waitFor();
        await check(page, 'steps-problem');
        await where.fill("kind in ('quay', 'basin') and built is not null");
        await button(page, 'As a list').click();
        assert.equal(await condition(page, 1).getByLabel('Value 2').inputValue(), 'basin');
        assert.equal(await condition(page, 2).getByLabel('Comparison').inputValue(), 'is not null');
        await button(page, 'Remove condition 2').click();
        await summary(page, 'Filter').getByText("kind in ('quay', 'basin')", { exact: true }).waitFor();
      },
      look,
    );
});

test('each step is a sentence; fields are chosen from a list, numbers have their unit beside them', {
  skip,
}, async () => {
  for (const look of NARROW_LOOKS)
    await onWorkspace(
      service.url,
      async (page) => {
        await addHarbour(page);
        await addStep(page, 'buffer');
        assert.equal(await page.getByLabel('Units').inputValue(), 'meters');
        await page.getByLabel('Distance').fill('25');
        await openMore(page, 'Buffer');
        await page.getByLabel('End cap').selectOption('flat');
        await summary(page, 'Buffer').getByText('25 m, flat end cap').waitFor();
        await addStep(page, 'dissolve');
        await page.getByRole('list', { name: 'By' }).getByRole('checkbox', { name: 'kind' }).check();
        await openMore(page, 'Dissolve');
        await page.getByLabel('Field for Aggregate').fill('built');
        await page.getByLabel('Field for Aggregate').press('Enter');
        await page.getByLabel('Aggregate: built').selectOption('max');
        await summary(page, 'Dissolve').getByText('by kind, aggregate built → max').waitFor();
        await summary(page, 'Dissolve')
          .getByText(/^\d+ → \d+$/)
          .waitFor();
        await page.getByLabel('Another field for By').fill('nope');
        await page.getByLabel('Another field for By').press('Enter');
        await page.getByText("Layer 'harbour' has no field 'nope'").first().waitFor();
        await check(page, 'steps-cards');
        await page.getByRole('checkbox', { name: 'nope' }).click();
        await summary(page, 'Dissolve')
          .getByText(/^\d+ → \d+$/)
          .waitFor();
      },
      look,
    );
});

test('a step is previewed on the map before the job runs, follows edits, and ends', { skip }, async () => {
  await onWorkspaceWithMap(service.url, async (page) => {
    await addHarbour(page);
    const layers = page.getByRole('list', { name: 'Layers of the map' });
    await layers.getByRole('checkbox', { name: 'harbour.gpkg' }).waitFor();
    await addStep(page, 'filter');
    await button(page, 'As text').click();
    const where = page.getByLabel('Condition', { exact: true });
    await where.fill("kind = 'quay'");
    await addStep(page, 'buffer');
    await page.getByLabel('Distance').fill('25');
    const preview = (step: string) =>
      page.getByRole('group', { name: step }).getByRole('button', { name: 'Preview' });

    await preview('Buffer, step 2').click();
    await page.getByText('Preview on the map: all 2 in and around this view.').waitFor();
    await layers.getByText('2 polygons').waitFor();
    assert.equal(await preview('Buffer, step 2').getAttribute('aria-pressed'), 'true');
    await check(page, 'step-preview');
    await where.fill("kind <> 'quay'");
    await page.getByText('Preview on the map: all 8 in and around this view.').waitFor();
    // Of the earlier step alone: still points.
    await preview('Filter, step 1').click();
    await layers.getByText('8 polygons').waitFor({ state: 'hidden' });
    await layers.getByRole('checkbox', { name: 'Filter, preview' }).waitFor();
    await where.fill('kind <> nope');
    await page.getByText(/^No preview: .*nope/).waitFor();
    await button(page, 'Undo').click();
    await page.getByText('Preview on the map: all 8 in and around this view.').waitFor();
    await page
      .getByRole('group', { name: 'Filter, step 1' })
      .getByRole('button', { name: 'Switch off' })
      .click();
    await layers.getByRole('checkbox', { name: 'Filter, preview' }).waitFor({ state: 'hidden' });
    assert.equal(await preview('Filter, step 1').isDisabled(), true);
  });
});

test('a step works on one of several layers', { skip }, async () => {
  using workspace = makeWorkspace();
  const { outputPath } = await convertFile(join(SAMPLES, 'harbour.gpkg'), workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    split: { field: 'kind', into: 'layers' },
  });
  await onWorkspace(service.url, async (page) => {
    await addHarbour(page);
    await addStep(page, 'centroid');
    await summary(page, 'Centroid').getByText('10 → 10').waitFor();
    assert.equal(await page.getByLabel('Apply to').count(), 0);
    await button(page, 'Remove harbour.gpkg').click();
    await addFiles(page, outputPath);
    await page.getByLabel('Apply to').selectOption('Chosen layers');
    const layers = page.getByRole('list', { name: 'Layers of the step' });
    await layers.getByRole('checkbox', { name: 'quay' }).check();
    for (const one of await layers.getByRole('checkbox', { checked: true }).all())
      if ((await one.evaluate((box) => box.parentElement?.textContent)) !== 'quay') await one.uncheck();
    await summary(page, 'Centroid').getByText('quay').waitFor();
    await summary(page, 'Centroid').getByText('2 → 2').waitFor();
  });
});

test('names that a shapefile cannot store are chosen by the user', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'towns.geojson');
  const fields = Array.from({ length: 30 }, (_, i) => [`column_${i}`, i]);
  const feature = {
    type: 'Feature',
    properties: { population_density: 7, ...Object.fromEntries(fields) },
    geometry: { type: 'Point', coordinates: [8.5, 53.5] },
  };
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', features: [feature] }));
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, file);
    await page.getByText('1 feature, Point').waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('shp');
    await page.getByText('1 field gets another name').click();
    await page.getByRole('textbox', { name: 'population_density' }).fill('density');
    await page.getByText('7 bytes; the output would name it').waitFor();
    await check(page, 'steps-names');
    await page.getByRole('textbox', { name: 'population_density' }).press('Enter');
    await summary(page, 'Select fields').getByText('rename population_density → density').waitFor();
    await page.getByText('1 field gets another name').waitFor({ state: 'detached' });
    // More than 20 fields have a search.
    await openMore(page, 'Select fields');
    await page.getByLabel('Search the fields of Drop').fill('_29');
    const list = page.getByRole('list', { name: 'Drop' });
    assert.equal(await list.getByRole('checkbox').count(), 1);
    await list.getByRole('checkbox').check();
    await summary(page, 'Select fields').getByText('drop column_29').waitFor();
  });
});

/** The workspace in a real browser, on the real service. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser as skip, startBrowser, type Watched } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { onePoint } from '../../../test/support/raw-shapefile.ts';
import { startTestService } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import {
  addStep,
  BROKEN_CONNECTION,
  NARROW_LOOKS,
  onWorkspace,
  type PageLook,
  showPart,
} from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const onPage = (steps: (page: Page, watched: Watched) => Promise<void>, look?: PageLook) =>
  onWorkspace(service.url, steps, look);
const add = (page: Page, ...paths: string[]) => page.getByLabel('Files to convert').setInputFiles(paths);
/** The check box of a layer in the legend. */
const onMap = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Layers of the map' }).getByRole('checkbox', { name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a file is shown, buffered and converted; the download has the bytes of the command line', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  for (const look of NARROW_LOOKS)
    await onPage(async (page) => {
      await add(page, join(SAMPLES, 'harbour.gpkg'));
      await page.getByText('10 features, Point').waitFor();
      await page.getByText('ETRS89 / UTM zone 32N').waitFor();
      await onMap(page, 'harbour.gpkg').waitFor();
      await showPart(page, 'Steps');
      await addStep(page, 'buffer');
      await page.getByLabel('Distance').fill('25');
      await page.getByLabel('Units').selectOption('meters');
      await showPart(page, 'Output');
      await page.getByLabel('Format', { exact: true }).selectOption('geojson');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('link', { name: /^Download (?!findings)/ }).waitFor();
      await showPart(page, 'Files');
      await onMap(page, 'harbour.gpkg, converted').waitFor();
      await showPart(page, 'Result');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: /^Download (?!findings)/ }).click(),
      ]);
      const saved = join(workspace.path, `saved-${look.width ?? 1440}.geojson`);
      await download.saveAs(saved);
      const { outputPath, report } = await convertFile(join(SAMPLES, 'harbour.gpkg'), workspace.path, {
        from: 'gpkg',
        to: 'geojson',
        transformations: [{ type: 'buffer', params: { distance: 25, units: 'meters' } }],
      });
      assert.equal(report.features.written, 10);
      assert.deepEqual(readFileSync(saved), readFileSync(outputPath));
    }, look);
});

test('undo takes back a step, and a file comes back with its preview', { skip }, async () => {
  await onPage(async (page) => {
    await add(page, join(SAMPLES, 'harbour.geojson'));
    await page.getByText('10 features, Point').waitFor();
    await addStep(page, 'centroid');
    await page.getByText('Centroid', { exact: true }).first().waitFor();
    await button(page, 'Undo').click();
    await page.getByText('No steps: the data is only converted.').waitFor();
    await page.getByRole('button', { name: 'Remove harbour.geojson' }).click();
    await page.getByText('Drop files anywhere on this page.').waitFor();
    await button(page, 'Undo').click();
    await onMap(page, 'harbour.geojson').waitFor();
  });
});

test('a shapefile without a CRS gets suggestions; the chosen one places it on the map', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'survey.shp');
  writeFileSync(file, onePoint(530_000, 180_000));
  await onPage(async (page) => {
    await add(page, file);
    await page.getByText('not stated in the file').waitFor();
    await page.getByRole('list', { name: 'Systems that fit the coordinates' }).waitFor();
    await page.getByRole('button', { name: /EPSG:27700/ }).click();
    await onMap(page, 'survey.zip').waitFor();
  });
});

test('a file of another format is refused with the formats that are supported', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'letter.docx');
  writeFileSync(file, 'PK');
  await onPage(async (page) => {
    await add(page, file);
    await page.getByRole('alert').getByText('letter.docx: This format is not supported.').waitFor();
    await button(page, 'Dismiss').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});

test('what must fail is not run: the field is marked, and the reason leads to it', { skip }, async () => {
  await onPage(async (page) => {
    await add(page, join(SAMPLES, 'harbour.geojson'));
    await page.getByText('10 features, Point').waitFor();
    await addStep(page, 'buffer');
    const distance = page.getByLabel('Distance');
    assert.equal(await distance.getAttribute('aria-invalid'), 'true');
    await page.getByText('Enter a distance.', { exact: true }).waitFor();
    assert.ok(await button(page, 'Convert').isDisabled());
    await page.keyboard.press('Control+Enter');
    await button(page, 'Enter a distance for step 1 (Buffer).').click();
    await page.locator('input:focus').waitFor();
    assert.equal(await page.locator('input:focus').getAttribute('aria-invalid'), 'true');
    await page.keyboard.type('25');
    await button(page, 'Enter a distance for step 1 (Buffer).').waitFor({ state: 'detached' });
    assert.ok(await button(page, 'Convert').isEnabled());
    assert.equal(await page.getByRole('list', { name: 'Steps' }).count(), 0);
    // What only the service knows is found before the run, too.
    await addStep(page, 'dissolve');
    await page.getByLabel('Another field for By').fill('nope');
    await page.getByLabel('Another field for By').press('Enter');
    await page.getByText("has no field 'nope'").first().waitFor();
    assert.ok(await button(page, 'Convert').isDisabled());
  });
});

test('the result of a long page comes into view', { skip }, async () => {
  await onPage(async (page) => {
    await add(page, join(SAMPLES, 'harbour.geojson'), join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('10 features, Point').nth(1).waitFor();
    for (const type of ['centroid', 'buffer', 'dissolve']) await addStep(page, type);
    await page.getByLabel('Distance').fill('25');
    await page.locator('.panels').evaluate((panels) => panels.scrollTo(0, 0));
    await page.keyboard.press('Control+Enter');
    const link = page.getByRole('link', { name: /^Download (?!findings)/ }).first();
    await link.waitFor();
    await until('the result is in view', () =>
      link.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        // As high as the window of the test.
        return top >= 0 && bottom <= 900;
      }),
    );
  });
});

test('text of files never becomes markup', { skip }, async () => {
  using workspace = makeWorkspace();
  const hostile = '<img src=x onerror="document.title=1">';
  const file = join(workspace.path, `a<b>&amp;.geojson`);
  const geometry = { type: 'Point', coordinates: [8.5, 53.5] };
  const properties = { [hostile]: hostile };
  writeFileSync(
    file,
    JSON.stringify({
      type: 'FeatureCollection',
      name: hostile,
      features: [{ type: 'Feature', properties, geometry }],
    }),
  );
  await onPage(async (page) => {
    await add(page, file);
    await page.getByText(hostile).first().waitFor();
    await onMap(page, 'a<b>&amp;.geojson').waitFor();
    assert.equal(await page.locator('main img, .map-panel img').count(), 0);
    assert.equal(await page.title(), 'Convert vector geodata - geomill');
  });
});

test('what the output would lose is shown before the run, and each step has its counts', {
  skip,
}, async () => {
  await onPage(async (page) => {
    await add(page, join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('10 features, Point').waitFor();
    await addStep(page, 'filter');
    await page.getByRole('button', { name: 'As text' }).click();
    await page.getByLabel('Condition', { exact: true }).fill("kind = 'quay'");
    await page.getByLabel('Format', { exact: true }).selectOption('shp');
    const forecast = page.getByRole('region', { name: 'What this output will lose' });
    // Numbers of rows are no loss.
    await forecast.getByText('For information (1)').click();
    await forecast.getByText(/only row numbers of the input were not kept: Shapefile/).waitFor();
    await forecast.getByText('10 features read, 2 written').waitFor();
    await page.getByText('10 → 2').waitFor();
    await page.getByLabel('Condition', { exact: true }).fill('kind =');
    await forecast.getByText('Step 1 (Filter)').waitFor();
  });
});

test('an upload continues after a broken connection and after a pause', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'points.csv');
  const count = 400_000;
  writeFileSync(
    file,
    `id,lon,lat,note\n${Array.from({ length: count }, (_, i) => `${i},8.${i},53.${i},a long note of this point\n`).join('')}`,
  );
  const steps = async (page: Page) => {
    let pieces = 0;
    const [brokenAt, pausedAt] = [2, 3];
    const paused = Promise.withResolvers<void>();
    await page.route('**/v1/uploads/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      pieces += 1;
      if (pieces === brokenAt) return route.abort('connectionreset');
      if (pieces === pausedAt) {
        await button(page, 'Pause').click();
        paused.resolve();
      }
      // The page has aborted the request that was held up.
      await route.continue().catch(() => {});
    });
    await add(page, file);
    await paused.promise;
    await page.getByText('Paused at').waitFor();
    await button(page, 'Resume').click();
    await page.getByText(`${count.toLocaleString('en')} features, Point`).waitFor();
    assert.ok(pieces > pausedAt);
  };
  await onWorkspace(service.url, steps, {}, BROKEN_CONNECTION);
});

test('the same page without script is the form', { skip }, async () => {
  const browser = await startBrowser();
  const context = await browser.newContext({ javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    await page.goto(service.url);
    await page.getByLabel('Files', { exact: true }).waitFor({ state: 'visible' });
  } finally {
    await context.close();
  }
});

test('findings about each zoom level are one line that opens, and a fixed CRS is shown', {
  skip,
}, async () => {
  await onPage(async (page) => {
    await add(page, join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('10 features, Point').waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('pmtiles');
    await page.getByText('WGS 84 longitude and latitude').waitFor();
    const forecast = page.getByRole('region', { name: 'What this output will lose' });
    await forecast.getByText(/For information \(\d\)/).click();
    const more = forecast.getByText(/^\d+ more like this$/).first();
    await more.waitFor();
    const lines = forecast.locator('.finding:visible');
    const before = await lines.count();
    await more.click();
    assert.ok((await lines.count()) > before);
  });
});

/** Names and values of files that are markup, very long, or made to mislead: never markup, and nothing leaves its place. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { check, setLook, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { pointBlob, writeRawGeopackage } from '../../../test/support/raw-gpkg.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, onWorkspace, onWorkspaceWithMap, showPart } from '../../../test/support/workspace-page.ts';

if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const MARKUP =
  '"><script>document.title=1</script><img src=x onerror="document.title=1"><style>*{display:none}</style>';
/** What a template would replace, what an object would treat as its own, what turns the direction of text, and what has no end. */
const NAMES = [
  MARKUP,
  '{{constructor.constructor("document.title=1")()}}',
  '__proto__',
  'constructor',
  '\u202Egnp.exe\u202C',
  'a\u0007b\u001b[31m\tc',
  '🏳️‍🌈👩‍👩‍👧‍👦',
  'شارع الملك',
  `long${'W'.repeat(400)}`,
  'x'.repeat(60),
];

/** No element comes from a text, the title is that of the page, and all that is drawn is inside the window. */
async function assertHarmless(page: Page): Promise<void> {
  assert.equal(await page.locator('#workspace :is(script, img, style, iframe, object)').count(), 0);
  assert.match(await page.title(), /geomill$/);
  const outside =
    await page.evaluate(`[...document.querySelectorAll('.panels *, header *, .legend *, .run-bar *')]
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1 && !element.closest('.visually-hidden'))
    .filter((element) => { const box = element.getBoundingClientRect(); return box.right > innerWidth + 1 || box.left < -1; })
    .map((element) => element.outerHTML.slice(0, 200))`);
  assert.deepEqual(outside, []);
}

test('texts of a file stay texts, on cards, map, table, column menu and in the report', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  // Control characters and separators of paths cannot be in names of files everywhere.
  const fileName = `<img src=x onerror=alert(1)> {{7*7}} \u202Egnosj ${'W'.repeat(100)}.geojson`;
  const file = join(workspace.path, fileName);
  const features = NAMES.map((name, i) => ({
    type: 'Feature',
    properties: Object.fromEntries(NAMES.map((field, f) => [field, f === 0 ? name : `${name} ${i}`])),
    geometry: { type: 'Point', coordinates: [8.5 + i / 1000, 53.5] },
  }));
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', name: MARKUP, features }));
  await onWorkspaceWithMap(service.url, async (page) => {
    await addFiles(page, file);
    await page.getByText(`${NAMES.length} features, Point`).waitFor();
    await page.getByRole('list', { name: 'Layers of the map' }).getByRole('checkbox').first().waitFor();
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('gridcell', { name: MARKUP, exact: true }).first().click();
    await page
      .getByRole('region', { name: 'Attributes' })
      .getByText(MARKUP, { exact: true })
      .first()
      .waitFor();
    await assertHarmless(page);
    await page.getByRole('columnheader').first().click();
    await page
      .getByRole('dialog', { name: /^Column/ })
      .getByText(MARKUP)
      .first()
      .waitFor();
    await check(page, 'hostile-column');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Close the attributes' }).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('zoom to');
    await page
      .getByRole('option', { name: /^Zoom to/ })
      .first()
      .waitFor();
    await assertHarmless(page);
    await page.keyboard.press('Escape');

    // A shapefile cuts the names of fields, and the report names them.
    await page.getByLabel('Format', { exact: true }).selectOption('shp');
    await page.getByRole('button', { name: 'Convert', exact: true }).click();
    await page.getByRole('link', { name: /^Download (?!findings)/ }).waitFor();
    // Findings of one kind are one line; all are shown here, to look at them.
    await page.locator('#part-result').getByText('constructo').first().waitFor({ state: 'attached' });
    await page.evaluate(
      `for (const more of document.querySelectorAll('#part-result details')) more.open = true`,
    );
    await page.locator('#part-result').getByText('constructo').first().waitFor();
    for (const look of [{}, { width: 390, height: 844, isDark: true }]) {
      await setLook(page, look);
      for (const part of ['Files', 'Output', 'Result']) {
        await showPart(page, part);
        await assertHarmless(page);
      }
      await check(page, 'hostile-result');
    }
    await setLook(page, {});
    await page.getByRole('button', { name: 'Earlier jobs…' }).click();
    await page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').first().waitFor();
    await assertHarmless(page);
    await check(page, 'hostile-history');
  });
});

test('names of layers and of reference systems stay texts', { skip }, async () => {
  using workspace = makeWorkspace();
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const layers = [MARKUP, NAMES[4], NAMES[8].slice(0, 200)];
  const wkt = `LOCAL_CS["${'<b>system</b>'}",UNIT["metre",1]]`;
  const file = writeRawGeopackage(
    join(workspace.path, 'layers.gpkg'),
    {
      pageBytes: 4096,
      sql: layers
        .map(
          (name) =>
            `CREATE TABLE ${quoted(name)} (fid INTEGER PRIMARY KEY, geom BLOB, "<u>field</u>" TEXT);
             INSERT INTO ${quoted(name)} VALUES (1, ${pointBlob(8.5, 53.5)}, '<i>value</i>');`,
        )
        .join('\n'),
      layers,
    },
    (database) => {
      database
        .prepare("INSERT INTO gpkg_spatial_ref_sys VALUES (?, 100000, 'NONE', 100000, ?, NULL)")
        .run('<b>system</b>', wkt);
    },
  );
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, file);
    await page.getByText(MARKUP).first().waitFor();
    await page.getByRole('list', { name: 'Layers of the map' }).getByRole('checkbox').first().waitFor();
    await assertHarmless(page);
    assert.equal(await page.locator('main :is(b, u, i)').count(), 0);
    await check(page, 'hostile-layers');
    await setLook(page, { width: 390, height: 844 });
    await assertHarmless(page);
    await check(page, 'hostile-layers');
  });
});

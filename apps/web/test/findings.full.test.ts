/** Findings on the map and in the list, linked both ways, and errors with their fixes: in a real browser, on the real service. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { GeomillClient } from '../../../packages/client/src/client.ts';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { IS_EXHAUSTIVE } from '../../../test/support/exhaustive.ts';
import { onePoint } from '../../../test/support/raw-shapefile.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, LOOKS, onWorkspace, onWorkspaceWithMap } from '../../../test/support/workspace-page.ts';

if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const square = (x: number, y: number, size = 0.1) => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
  [x, y],
];
const polygon = (ring: readonly number[][]) => ({ type: 'Polygon', coordinates: [ring] });
const line = (...coordinates: number[][]) => ({ type: 'LineString', coordinates });
const point = (x: number, y: number) => ({ type: 'Point', coordinates: [x, y] });
const collection = (...geometries: object[]) => ({ type: 'GeometryCollection', geometries });

/** Reason, number of the record where it was found, middle of the place, and the defect. */
type Defect = readonly [code: string, row: number, place: readonly [number, number] | null, geometry: object, name?: string]; // biome-ignore format: one line

/** `row` counts the features that came to the step or to the writer: each feature that was dropped before makes it smaller. */
const DEFECTS: readonly Defect[] = [
  [
    'GEOMETRY_REPAIRED',
    1,
    [7.1, 50.1],
    polygon([
      [7, 50],
      [7.2, 50.2],
      [7.2, 50],
      [7, 50.2],
      [7, 50],
    ]),
  ],
  ['RING_CLOSED', 2, [7.55, 50.05], polygon(square(7.5, 50).slice(0, 4))],
  ['GEOMETRY_DROPPED', 3, [8, 50], line([8, 50], [8, 50])],
  ['TEXT_CUT', 3, [8.55, 50.05], polygon(square(8.5, 50)), 'x'.repeat(300)],
  ['FEATURES_OUTSIDE', 4, [20.05, 50.05], polygon(square(20, 50))],
  ['FEATURES_OUTSIDE', 5, [21, 50], point(21, 50)],
  ['COLLECTION_SPLIT', 4, [9.05, 50.05], collection(point(9, 50), line([9, 50.1], [9.1, 50.1]))],
  ['EMPTY_MEMBER_DROPPED', 8, [7.55, 51.05], { type: 'MultiPolygon', coordinates: [[square(7.5, 51)], []] }],
  ['COLLECTION_FLATTENED', 9, [9, 51], collection(collection(point(9, 51)))],
  ['BLANKS_NOT_KEPT', 7, [7, 52], point(7, 52), ' blank '],
  ['EMPTY_TO_NULL', 8, null, line()],
];

function defectsFile(directory: string): string {
  const features = DEFECTS.map(([, , , geometry, name = 'fine']) => ({
    type: 'Feature',
    properties: { name, description_of_it: 1 },
    geometry,
  }));
  const path = join(directory, 'defects.geojson');
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  return path;
}

function documentFile(directory: string): string {
  const steps = [
    { type: 'make_valid' },
    { type: 'clip', params: { clipping_geojson: polygon(square(5, 45, 10)) } },
  ];
  const inputs = [{ path: 'defects.geojson', format: 'geojson' }];
  const path = join(directory, 'job.json');
  writeFileSync(path, JSON.stringify({ inputs, steps, outputs: [{ path: 'out.zip', format: 'shp' }] }));
  return path;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** The item of the report that has this message, opened. */
async function itemOf(page: Page, message: RegExp) {
  const item = page.locator('.run .notes > li').filter({ hasText: message });
  const severity = page
    .locator('.run details.severity')
    .filter({ has: page.locator('.notes > li').filter({ hasText: message }) });
  if ((await severity.getAttribute('open')) === null) await severity.locator('> summary').click();
  return item;
}

const SENTENCES: Readonly<Record<string, RegExp>> = {
  GEOMETRY_REPAIRED: /invalid geometries were repaired before make_valid/,
  RING_CLOSED: /rings whose last position differed from the first were closed/,
  GEOMETRY_DROPPED: /features were dropped because nothing was left after make_valid/,
  TEXT_CUT: /texts of field 'name' were truncated to 254 bytes/,
  FEATURES_OUTSIDE: /features outside the clip polygons were dropped/,
  COLLECTION_SPLIT: /geometry collections were split by geometry type/,
  EMPTY_MEMBER_DROPPED: /empty rings and empty members of multi geometries were dropped/,
  COLLECTION_FLATTENED: /nested geometry collections were flattened/,
  BLANKS_NOT_KEPT: /begin or end with blanks/,
  EMPTY_TO_NULL: /empty geometries were written as null/,
};

test('ten known defects are ten places with their reasons, in the list and on the map, linked both ways', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const files = [documentFile(workspace.path), defectsFile(workspace.path)];
  for (const look of LOOKS)
    await onWorkspaceWithMap(
      service.url,
      async (page) => {
        await page.emulateMedia({ reducedMotion: 'reduce' });
        await addFiles(page, ...files);
        await page.getByText('11 features').first().waitFor();
        await button(page, 'Convert').click();
        const legend = page.getByRole('list', { name: 'Layers of the map' });
        const layer = legend.getByRole('listitem').filter({ hasText: 'defects.geojson, findings' });
        await layer.getByText('10', { exact: true }).waitFor();
        await legend.getByRole('checkbox', { name: 'defects.geojson, converted' }).waitFor();

        for (const [code, sentence] of Object.entries(SENTENCES)) {
          const expected = DEFECTS.filter((defect) => defect[0] === code);
          const item = await itemOf(page, sentence);
          const count = expected.length;
          await item.getByText(count === 1 ? '1 place' : `${count} places`, { exact: true }).click();
          const rows = item.getByRole('option');
          await rows.first().waitFor();
          assert.equal(await rows.count(), count, code);
          for (const [i, [, row, place]] of expected.entries()) {
            const text = (await rows.nth(i).textContent()) ?? '';
            assert.match(text, new RegExp(`row ${row}\\b`), code);
            assert.equal(text.includes('not on the map'), place === null, code);
          }
        }
        await check(page, 'workspace-findings');
        // From the list to the map, by keyboard, and back: the click is in the middle of the map.
        if (look.width === undefined) await followBothWays(page);

        // A field is renamed: no place.
        await page
          .locator('.run')
          .getByText("field 'description_of_it' of layer 'defects' is written as")
          .waitFor();
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: 'Download findings as GeoJSON' }).click(),
        ]);
        const saved = join(workspace.path, 'findings.geojson');
        await download.saveAs(saved);
        const found = JSON.parse(readFileSync(saved, 'utf8')) as {
          features: { properties: { code: string } }[];
        };
        assert.deepEqual(
          found.features.map(({ properties: { code } }) => code).sort(),
          DEFECTS.map(([code]) => code).sort(),
        );
        await layer.getByRole('checkbox').uncheck();
        await check(page, 'workspace-findings-hidden');
      },
      look,
    );
});

async function followBothWays(page: Page): Promise<void> {
  const drawn = DEFECTS.filter(([, , at]) => at !== null && at[0] < 20);
  // The map is drawn several times for each.
  for (const [code, , place] of drawn.filter((_, i) => IS_EXHAUSTIVE || i % 3 === 0)) {
    const item = await itemOf(page, SENTENCES[code]);
    const list = item.getByRole('listbox');
    await list.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await item.getByRole('option', { selected: true }).waitFor();
    assert.ok(place !== null);
    const [x, y] = await pixelOf(page, place);
    await item.locator('details.places > summary').click();
    await list.waitFor({ state: 'detached' });
    while ((await list.count()) === 0) await page.mouse.click(x, y);
    await item.getByRole('option', { selected: true }).waitFor();
  }
}

/** Where the map shows a position, found by the position of the cursor, as soon as the map shows it. */
async function pixelOf(
  page: Page,
  [longitude, latitude]: readonly [number, number],
): Promise<[number, number]> {
  const box = await page.locator('.map canvas').boundingBox();
  assert.ok(box !== null);
  let [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  for (;;) {
    const here = await positionAt(page, x, y);
    const there = await positionAt(page, x + 40, y + 40);
    const right = ((longitude - here[0]) * 40) / (there[0] - here[0]);
    const down = ((latitude - here[1]) * 40) / (there[1] - here[1]);
    if (Math.hypot(right, down) < 2) return [x, y];
    const isInside = Math.abs(right) < box.width / 2 && Math.abs(down) < box.height / 2;
    // Else the map has not come there yet.
    if (isInside) [x, y] = [x + right, y + down];
  }
}

async function positionAt(page: Page, x: number, y: number): Promise<[number, number]> {
  await page.mouse.move(x, y);
  const text = (await page.locator('.map-panel .cursor').textContent()) ?? '';
  const [, longitude, latitude] = /^([\d.]+)° E, ([\d.]+)° N/.exec(text.trim()) ?? [];
  return [Number(longitude), Number(latitude)];
}

test('a long list shows the numbers of the service, and only the rows in view exist', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'rings.geojson');
  const count = 12_345;
  const features = Array.from({ length: count }, (_, i) => ({
    type: 'Feature',
    properties: { i },
    geometry: polygon(square(-60 + (i % 200) * 0.5, -30 + Math.floor(i / 200) * 0.5).slice(0, 4)),
  }));
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', features }));
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, file);
    await page.getByText('12,345 features, Polygon').waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('csv');
    await button(page, 'Convert').click();
    await page.getByText('10,000 of 12,345 places shown').click();
    const list = page.getByRole('listbox', { name: /^Places: rings/ });
    await list.focus();
    await page.keyboard.press('End');
    await list.getByRole('option', { name: 'row 10,000' }).waitFor();
    assert.ok((await list.getByRole('option').count()) < 30);
    await page.locator('.run').getByText('12,345×').waitFor();
    await page.keyboard.press('Enter');
    await list.getByRole('option', { name: 'row 10,000', selected: true }).waitFor();
    await check(page, 'workspace-many-findings');
  });
});

test('a failed job offers its fixes as buttons, which edit the document and run it again', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const rows = join(workspace.path, 'rows.csv');
  writeFileSync(rows, 'id,lon,lat\n1,8.5,53.5\n2,8.6\n3,8.7,53.7\n');
  const survey = join(workspace.path, 'survey.shp');
  writeFileSync(survey, onePoint(530_000, 180_000));
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, survey);
    await page.getByText('not stated in the file').waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('geojson');
    await button(page, 'Convert').click();
    const fixes = page.locator('.run').getByRole('group', { name: 'What can be done' });
    await fixes.getByRole('button', { name: 'Use EPSG:27700 (OSGB36 / British National Grid)' }).waitFor();
    await check(page, 'workspace-fixes');
    await fixes.getByRole('button', { name: /^Use EPSG:27700/ }).click();
    await page.getByRole('link', { name: 'Download survey.geojson' }).waitFor();
    await page.getByRole('button', { name: 'Remove survey.zip' }).click();

    await addFiles(page, rows);
    await page.getByText('rows.csv').first().waitFor();
    await button(page, 'Convert').click();
    await page
      .getByRole('alert')
      .getByText(/CSV line 3: the row has 2 cells/)
      .first()
      .waitFor();
    // The file cannot be inspected, so nothing is known of its coordinates.
    await fixes.getByRole('button', { name: 'Use EPSG:4326 (longitude and latitude)' }).click();
    await fixes.getByRole('button', { name: 'Skip bad rows' }).click();
    await page.getByRole('link', { name: 'Download rows.geojson' }).waitFor();
    await page
      .locator('.run')
      .getByText(/unreadable records were skipped/)
      .waitFor();
    await button(page, 'Undo').click();
    await button(page, 'Convert').click();
    await fixes.getByRole('button', { name: 'Skip bad rows' }).waitFor();
    // The card of the source offers it too.
    const card = page
      .getByRole('alert')
      .filter({ hasNot: page.locator('.run') })
      .first();
    await card.getByRole('button', { name: 'Skip bad rows' }).click();
    await page.getByText('2 features, Point').waitFor();
  });
});

test('a failed job shows the feature on the map that its error is about', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'poles.geojson');
  // So many that one which cannot be is below the share at which a file is refused.
  const others = Array.from({ length: 199 }, (_, i) => point(8.5 + i / 1000, 53.5));
  const features = [others[0], point(0, 91), ...others.slice(1)].map((geometry, i) => ({
    type: 'Feature',
    properties: { name: `place ${i + 1}` },
    geometry,
  }));
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', features }));
  const document = join(workspace.path, 'job.json');
  const inputs = [{ path: 'poles.geojson', format: 'geojson' }];
  const outputs = [{ path: 'a.gpkg', format: 'gpkg', epsg: 'EPSG:3857' }];
  writeFileSync(document, JSON.stringify({ inputs, outputs }));
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, document, file);
    await page.getByRole('checkbox', { name: 'poles.geojson' }).waitFor();
    await button(page, 'Convert').click();
    await page
      .getByRole('alert')
      .getByText(/position \(0, 91\) cannot be transformed/)
      .waitFor();
    await button(page, 'Show on the map').click();
    await page.locator('.map-panel').getByText('place 2').waitFor();
  });
});

test('the numbers of the page are those of the API', { skip }, async () => {
  using workspace = makeWorkspace();
  const client = new GeomillClient({ baseUrl: service.url });
  const data = readFileSync(defectsFile(workspace.path));
  const job = await client.submit({
    input: { name: 'defects.geojson', data },
    config: {
      input: { format: 'geojson' },
      transformations: [
        { type: 'make_valid' },
        { type: 'clip', params: { clipping_geojson: polygon(square(5, 45, 10)) as never } },
      ],
      output: { format: 'shp' },
    },
  });
  await job.wait();
  const { totals } = await job.findings();
  for (const code of Object.keys(SENTENCES)) {
    const count = DEFECTS.filter((defect) => defect[0] === code).length;
    assert.deepEqual(totals[code], { count, listed: count }, code);
  }
});

/** Areas of steps in the workspace: drawn with pointer and keyboard, as numbers, pasted, and from another source. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { ENTRANCE } from '../../../test/support/program.ts';
import { startTestService } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import {
  addFiles,
  addStep,
  LOOKS,
  onWorkspace,
  onWorkspaceWithMap,
  showPart,
} from '../../../test/support/workspace-page.ts';

const root = join(import.meta.dirname, '../../..');
const SAMPLES = join(root, 'samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

/** Around the western half of the basin. */
const BOUNDS = { West: '8.574', South: '53.545', East: '8.5805', North: '53.5495' };
const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [8.574, 53.545],
      [8.5805, 53.545],
      [8.5805, 53.5495],
      [8.574, 53.5495],
      [8.574, 53.545],
    ],
  ],
};

const area = (page: Page) => page.getByRole('group', { name: /^Area to/ }).first();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const canvas = (page: Page) => page.locator('.map canvas');

async function addHarbour(page: Page, step = 'clip'): Promise<void> {
  await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
  await page.getByText('10 features, Point').waitFor();
  await page.getByRole('list', { name: 'Layers of the map' }).getByRole('checkbox').first().waitFor();
  await showPart(page, 'Steps');
  await addStep(page, step);
}

/** What is in the middle of the map. */
async function middle(map: Locator): Promise<Buffer> {
  const box = await map.boundingBox();
  assert.ok(box !== null);
  const clip = { x: box.x + box.width * 0.4, y: box.y + box.height * 0.35, width: 40, height: 40 };
  return map.page().screenshot({ clip });
}

/** The job document of "Copy as", run by the command line in a directory with the inputs. */
async function bytesOfCommandLine(page: Page, directory: string): Promise<Buffer> {
  await button(page, 'Copy as…').click();
  await button(page, 'Job document').click();
  const text = (await page.locator('dialog pre').textContent()) ?? '';
  await page.locator('dialog[open]').getByRole('button', { name: 'Close' }).click();
  writeFileSync(join(directory, 'job.json'), text);
  execFileSync(process.execPath, [ENTRANCE, 'run', 'job.json'], { cwd: directory });
  const [output] = (JSON.parse(text) as { outputs: { path: string }[] }).outputs;
  return readFileSync(join(directory, output.path));
}

async function downloadedBytes(page: Page, directory: string): Promise<Buffer> {
  await button(page, 'Convert').click();
  const link = page.getByRole('link', { name: /^Download harbour/ });
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const path = join(directory, 'downloaded');
  await download.saveAs(path);
  return readFileSync(path);
}

test('a drawn area is on the map, clips, can be undone, and is the same on the command line', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  copyFileSync(join(SAMPLES, 'harbour.gpkg'), join(workspace.path, 'harbour.gpkg'));
  await onWorkspaceWithMap(service.url, async (page) => {
    await addHarbour(page);
    await area(page).getByText('(required)').waitFor();
    await check(page, 'masks-empty');
    const map = page.locator('.map');
    const before = await middle(map);
    await button(page, 'Draw a rectangle').click();
    await page.getByText('Click a corner of the rectangle.').waitFor();
    const box = await map.boundingBox();
    assert.ok(box !== null);
    const click = (x: number, y: number) => page.mouse.click(box.x + box.width * x, box.y + box.height * y);
    await click(0.3, 0.25);
    await page.getByText('Click the opposite corner.').waitFor();
    await check(page, 'masks-drawing');
    await click(0.6, 0.7);
    await page.getByText('Rectangle', { exact: true }).waitFor();
    await page.getByText(/^10 → \d$/).waitFor();
    await page.mouse.move(box.x + 5, box.y + box.height - 200);
    await until('the map has changed', async () => !(await middle(map)).equals(before));
    await page.getByLabel('Format', { exact: true }).selectOption('geojson');
    assert.deepEqual(
      await downloadedBytes(page, workspace.path),
      await bytesOfCommandLine(page, workspace.path),
    );
    const west = await page.getByLabel('West').inputValue();
    await button(page, 'Draw a polygon').click();
    for (const [x, y] of [
      [0.3, 0.3],
      [0.5, 0.3],
    ])
      await click(x, y);
    await page.mouse.dblclick(box.x + box.width * 0.4, box.y + box.height * 0.6);
    await area(page).getByText('Polygon with 3 corners').waitFor();
    await check(page, 'masks-polygon');
    await button(page, 'Undo').click();
    assert.equal(await page.getByLabel('West').inputValue(), west);
    await page.waitForURL(/#pipeline=/);
    await page.reload();
    await page.getByText('Rectangle', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('West').inputValue(), west);
  });
});

test('without a pointer an area is drawn with keys or given as numbers', { skip }, async () => {
  for (const look of LOOKS)
    await onWorkspaceWithMap(
      service.url,
      async (page) => {
        await addHarbour(page, 'erase');
        await button(page, 'Draw a polygon').focus();
        await page.keyboard.press('Enter');
        const isFocused = () =>
          canvas(page).evaluate((element) => element === element.ownerDocument.activeElement);
        await until('the map is focused', isFocused);
        for (const [key, corners] of [
          ['ArrowRight', '1 corner.'],
          ['ArrowDown', '2 corners.'],
          ['', '3 corners.'],
        ]) {
          await until(`the page says '${corners}'`, async () => {
            await page.keyboard.press('Enter');
            return page.getByText(corners).isVisible();
          });
          await check(page, 'masks-keys');
          const place = await page.locator('.crosshair').isVisible();
          assert.ok(place);
          if (key !== '') await moveMap(page, key);
        }
        await page.keyboard.press('Enter');
        await area(page).getByText('Polygon with 3 corners').waitFor();
        await until('the button is focused', () =>
          button(page, 'Draw a polygon').evaluate(
            (element) => element === element.ownerDocument.activeElement,
          ),
        );
        await page.keyboard.press('Enter');
        await until('the map is focused', isFocused);
        await page.keyboard.press('Escape');
        await page.getByText('Click the first corner').waitFor({ state: 'detached' });
        await area(page).getByText('Polygon with 3 corners').waitFor();

        await page.getByRole('button', { name: 'Remove the area' }).click();
        for (const [side, degrees] of Object.entries(BOUNDS)) await page.getByLabel(side).fill(degrees);
        await page.getByText('Rectangle', { exact: true }).waitFor();
        await page.getByText(/^10 → [1-9]$/).waitFor();
        await page.getByLabel('North').fill('53');
        await page.getByText('South is less than north.').waitFor();
        await check(page, 'masks-numbers');
      },
      look,
    );
});

/** Moves the map with an arrow key, and waits until it is at rest. */
async function moveMap(page: Page, key: string): Promise<void> {
  const look = () => page.locator('.map-panel').screenshot();
  const before = await look();
  await page.keyboard.press(key);
  let last = before;
  await until('the map has moved and is at rest', async () => {
    const now = await look();
    const isAtRest = now.equals(last) && !now.equals(before);
    last = now;
    return isAtRest;
  });
}

test('another source is the area, in its own CRS and filtered; it is not converted itself', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  for (const name of ['harbour.gpkg', 'harbour.geojson'])
    copyFileSync(join(SAMPLES, name), join(workspace.path, name));
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, join(SAMPLES, 'harbour.geojson'), join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('10 features, Point').nth(1).waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('geojson');
    await addStep(page, 'clip');
    await page.getByLabel('Polygons of a source').selectOption('harbour.gpkg');
    await page.getByText('Used by a step, not converted.').waitFor();
    // The file also has points and lines.
    await area(page).getByText('Has a LineString; a mask has polygons alone').waitFor();
    await page.getByLabel('Only features where').fill("kind = 'basin'");
    await page.getByLabel('Only features where').press('Tab');
    await area(page)
      .getByText(/harbour\.gpkg.*, 1 polygon/)
      .waitFor();
    await page.getByText(/^10 → \d$/).waitFor();
    await check(page, 'masks-source');
    assert.deepEqual(
      await downloadedBytes(page, workspace.path),
      await bytesOfCommandLine(page, workspace.path),
    );
    assert.equal(await page.getByRole('link', { name: /^Download harbour/ }).count(), 1);
    await button(page, 'Copy as…').click();
    await button(page, 'Link').click();
    const link = (await page.locator('dialog pre').textContent()) ?? '';
    await page.locator('dialog[open]').getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Remove harbour.gpkg' }).click();
    await area(page).getByText('This file is not among the sources.').waitFor();
    await button(page, 'Undo').click();
    await page.getByText('Used by a step, not converted.').waitFor();

    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('File harbour.gpkg').setInputFiles(join(SAMPLES, 'harbour.gpkg'));
    await page.getByLabel('File harbour.geojson').setInputFiles(join(SAMPLES, 'harbour.geojson'));
    await page.getByText('Used by a step, not converted.').waitFor();
    assert.equal(await page.getByLabel('Only features where').inputValue(), "kind = 'basin'");
    await page.getByText(/^10 → \d$/).waitFor();
    await page.getByRole('button', { name: 'Convert it too' }).click();
    await page.getByLabel('Several files').waitFor();
  });
});

test('a table joins its fields to the features, in the page as on the command line', { skip }, async () => {
  using workspace = makeWorkspace();
  const kinds = join(workspace.path, 'kinds.csv');
  writeFileSync(kinds, 'kind,label\nquay,Kai\nbasin,Becken\n');
  copyFileSync(join(SAMPLES, 'harbour.geojson'), join(workspace.path, 'harbour.geojson'));
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, join(SAMPLES, 'harbour.geojson'));
    await page.getByText('10 features, Point').waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('geojson');
    await addStep(page, 'join');
    await addFiles(page, kinds);
    await page.getByLabel('Source', { exact: true }).selectOption('kinds.csv');
    await page.getByText('Used by a step, not converted.').waitFor();
    await page
      .getByRole('list', { name: 'Key', exact: true })
      .getByRole('checkbox', { name: 'kind' })
      .check();
    await page.getByText(/^10 → 10$/).waitFor();
    await check(page, 'masks-join');
    const bytes = await downloadedBytes(page, workspace.path);
    const { features } = JSON.parse(String(bytes)) as { features: { properties: Record<string, unknown> }[] };
    const labels = new Set(features.map(({ properties }) => properties.label));
    assert.deepEqual(labels, new Set([null, 'Becken', 'Kai']));
    assert.deepEqual(bytes, await bytesOfCommandLine(page, workspace.path));
  });
});

test('pasted polygons are the area: GeoJSON in the step, WKT as a source', { skip }, async () => {
  await onWorkspace(service.url, async (page) => {
    await addHarbour(page);
    const paste = async (text: string) => {
      await button(page, 'Paste…').click();
      await page.getByLabel('GeoJSON or WKT with polygons').fill(text);
      await button(page, 'Use as the area').click();
    };
    await paste('hello');
    await page.getByRole('alert').getByText('not GeoJSON').waitFor();
    await button(page, 'Paste…').click();
    await paste(JSON.stringify(SQUARE));
    await page.getByText('Rectangle', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('West').inputValue(), '8.574');
    await page.getByText(/^10 → \d$/).waitFor();
    await paste('SRID=4326;POLYGON((8.574 53.545, 8.5805 53.545, 8.578 53.5495, 8.574 53.545))');
    await page.getByText('pasted.csv, 1 polygon').waitFor();
    await page.getByText('Used by a step, not converted.').waitFor();
    await page.getByText(/^10 → \d$/).waitFor();
  });
});

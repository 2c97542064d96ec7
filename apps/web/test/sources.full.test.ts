/** Sources whose CRS is missing: candidates by the place where each system puts the coordinates. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { IS_EXHAUSTIVE } from '../../../test/support/exhaustive.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, LOOKS, onWorkspace, onWorkspaceWithMap } from '../../../test/support/workspace-page.ts';

if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

/** Cities in the country of a national grid. */
const GRIDS: readonly (readonly [code: number, country: string, cities: readonly [number, number][]])[] = [
  [27700, 'UK', [[-0.1276, 51.5072], [-2.2426, 53.4808], [-3.1883, 55.9533], [-1.8904, 52.4862]]],
  [25832, 'Europe', [[9.9937, 53.5511], [8.6821, 50.1109], [11.582, 48.1351], [6.9603, 50.9375]]],
  [2154, 'France', [[2.3522, 48.8566], [5.3698, 43.2965], [-1.5536, 47.2184], [7.7521, 48.5734]]],
  [28992, 'Netherlands', [[4.9041, 52.3676], [5.1214, 52.0907], [6.5665, 53.2194], [5.6909, 50.8514]]],
  [2193, 'New Zealand', [[174.7633, -36.8485], [174.7762, -41.2865], [172.6362, -43.5321]]],
  [31467, 'Germany', [[9.1829, 48.7758], [8.4037, 49.0069], [9.9937, 53.5511], [9.4797, 51.3127]]],
]; // biome-ignore format: a table
/** All six are suggested in packages/crs-search/test/crs-suggest.test.ts, without a page. */
const TRIED = IS_EXHAUSTIVE ? GRIDS : GRIDS.slice(0, 2);

/** The files of a shapefile in a grid, without the .prj. */
async function unplacedShapefile(
  directory: string,
  code: number,
  cities: readonly (readonly [number, number])[],
): Promise<string[]> {
  const features = cities.map((coordinates) => ({
    type: 'Feature',
    properties: { name: 'Größe' },
    geometry: { type: 'Point', coordinates },
  }));
  const input = join(directory, `g${code}.geojson`);
  writeFileSync(input, JSON.stringify({ type: 'FeatureCollection', features }));
  const { outputPath } = await convertFile(input, directory, {
    from: 'geojson',
    to: 'shp',
    toCrs: `EPSG:${code}`,
  });
  const parts = Object.entries(unzipSync(readFileSync(outputPath)));
  return parts.flatMap(([name, bytes]) => {
    const extension = name.split('.').at(-1);
    if (extension === 'prj') return [];
    const path = join(directory, `g${code}.${extension}`);
    writeFileSync(path, bytes);
    return [path];
  });
}

const candidates = (page: Page) =>
  page.getByRole('list', { name: 'Systems that fit the coordinates' }).getByRole('button');
const onMap = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Layers of the map' }).getByRole('checkbox', { name });

test(`the grid of a shapefile without .prj is among the first two candidates, for ${TRIED.length} areas`, {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  await onWorkspace(service.url, async (page) => {
    for (const [code, country, cities] of TRIED) {
      await addFiles(page, ...(await unplacedShapefile(workspace.path, code, cities)));
      await candidates(page).first().waitFor();
      const texts = await candidates(page).allTextContents();
      const rank = texts.findIndex((text) => text.includes(`EPSG:${code}`));
      assert.ok(rank === 0 || rank === 1, `EPSG:${code} in ${texts.join(' | ')}`);
      // Says in words where that is.
      const latitude = (Math.min(...cities.map(([, y]) => y)) + Math.max(...cities.map(([, y]) => y))) / 2;
      const [, north] = / (\d+\.\d)° [NS]/.exec(texts[rank]) ?? [];
      assert.ok(Math.abs(Number(north) - Math.abs(latitude)) < 1, texts[rank]);
      assert.match(texts[rank], new RegExp(country));
      await candidates(page).nth(rank).focus();
      await page.keyboard.press('Enter');
      await onMap(page, `g${code}.zip`).waitFor();
      await page.getByRole('button', { name: `Remove g${code}.zip` }).click();
    }
    await page.getByText('Drop files anywhere on this page.').waitFor();
  });
});

test('a candidate is chosen by place, by another source, or as local', { skip }, async () => {
  using workspace = makeWorkspace();
  const [[code, , cities]] = GRIDS;
  const files = await unplacedShapefile(workspace.path, code, cities);
  const hostile = join(workspace.path, '<img src=x onerror=alert(1)>.csv');
  writeFileSync(hostile, 'id,x,y\n1,530000,180000\n2,531000,181000\n');
  for (const look of LOOKS)
    await onWorkspaceWithMap(
      service.url,
      async (page) => {
        await addFiles(page, ...files);
        await candidates(page).first().waitFor();
        await page.getByRole('button', { name: 'It belongs in the map view' }).click();
        await page.getByText('in or near the view around').waitFor();
        await page.getByRole('button', { name: /EPSG:27700/ }).waitFor();
        await check(page, 'workspace-where');
        await page.getByRole('button', { name: 'Anywhere' }).click();
        await page.getByRole('button', { name: /EPSG:27700/ }).click();
        await page.getByText('EPSG:27700 OSGB36 / British National Grid').waitFor();
        await onMap(page, 'g27700.zip').waitFor();
        await addFiles(page, hostile);
        await page.getByRole('button', { name: 'Same as g27700.zip' }).click();
        await onMap(page, '<img src=x onerror=alert(1)>.csv').waitFor();
        assert.equal(await page.locator('main img').count(), 0);
        // The data lies in the wrong place: the same list again, and what was chosen before.
        await page.getByRole('button', { name: 'Change…' }).first().click();
        await candidates(page).first().waitFor();
        await page.getByRole('group', { name: 'Chosen before' }).waitFor();
        await check(page, 'workspace-where-again');
        await page.getByRole('button', { name: 'Local: no position on the Earth' }).click();
        await page.getByText(/^x [-\d,.]+ to [-\d,.]+, y /).waitFor();
        await page.getByText('local, no position on the Earth').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await onMap(page, 'g27700.zip').waitFor();
      },
      look,
    );
});

test('a search can be limited to systems for the area on the map', { skip }, async () => {
  using workspace = makeWorkspace();
  const [, , , [code, , cities]] = GRIDS;
  const files = await unplacedShapefile(workspace.path, code, cities);
  await onWorkspaceWithMap(service.url, async (page) => {
    await addFiles(page, ...files);
    await candidates(page).first().waitFor();
    await page.getByRole('button', { name: /EPSG:28992/ }).click();
    await onMap(page, 'g28992.zip').waitFor();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Change…' }).first().click();
    const box = page.getByRole('combobox', { name: /^Search a coordinate/ });
    await box.fill('lambert');
    const options = page.getByRole('option');
    await options.getByText('NAD83').first().waitFor();
    await page.getByLabel('Only systems for the area on the map').check();
    await options.getByText('ETRS89').first().waitFor();
    await options.getByText('NAD83').first().waitFor({ state: 'detached' });
    await box.press('Enter');
    await page.getByText('stated here').waitFor();
  });
});

test('a CRS that is chosen counts more than the one in the file, until it is taken back', {
  skip,
}, async () => {
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, join(import.meta.dirname, '../../../samples/harbour.zip'));
    await page.getByText(/8\.\d+° E to 8\.\d+° E$/).waitFor();
    await page.getByRole('button', { name: 'Change…' }).first().click();
    const box = page.getByRole('combobox', { name: /^Search a coordinate/ });
    await box.fill('25833');
    await page.getByRole('option', { name: /^EPSG:25833 / }).waitFor();
    await box.press('Enter');
    // The next zone of UTM is 6 degrees to the east.
    await page.getByText(/14\.\d+° E to 14\.\d+° E$/).waitFor();
    await page.getByRole('button', { name: 'As in the file' }).click();
    await page.getByText(/8\.\d+° E to 8\.\d+° E$/).waitFor();
  });
});

test('the unit of a drawing limits the candidates, unless it is wrong', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'plan.dxf');
  // $INSUNITS 2: feet, which many programs write by default.
  const header = ['0', 'SECTION', '2', 'HEADER', '9', '$INSUNITS', '70', '2', '0', 'ENDSEC'];
  const points = [
    [2_600_000, 1_200_000],
    [2_601_000, 1_201_000],
  ].flatMap(([x, y]) => ['0', 'POINT', '8', '0', '10', String(x), '20', String(y)]);
  const entities = ['0', 'SECTION', '2', 'ENTITIES', ...points, '0', 'ENDSEC', '0', 'EOF', ''];
  writeFileSync(file, [...header, ...entities].join('\n'));
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, file);
    await page.getByText('in feet as the drawing states ($INSUNITS)').waitFor();
    await candidates(page).first().waitFor();
    assert.ok((await candidates(page).allTextContents()).every((text) => !text.includes('EPSG:2056')));
    await page.getByLabel('Only systems in feet, the unit of the drawing').uncheck();
    await candidates(page).first().getByText('EPSG:2056').waitFor();
  });
});

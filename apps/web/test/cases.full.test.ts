/** Sources and jobs that are not as usual: empty, wide, broken, cancelled, and a service that ends in the middle. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { serverForTests, startServerProcess } from '../../../test/support/server-process.ts';
import {
  addFiles,
  addStep,
  BROKEN_CONNECTION,
  onWorkspace,
  onWorkspaceWithMap,
} from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
if (skip === false) await buildWorkspace();
const service = skip === false ? await serverForTests({ RATE_LIMIT: '0' }) : null;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a layer without features, and a table with 300 fields', { skip }, async () => {
  using workspace = makeWorkspace();
  const empty = join(workspace.path, 'empty.geojson');
  writeFileSync(empty, '{"type": "FeatureCollection", "features": []}');
  const wide = join(workspace.path, 'wide.csv');
  const names = Array.from({ length: 300 }, (_, i) => `a_long_name_of_field_${i}`);
  const rows = Array.from({ length: 150 }, (_, row) =>
    [8 + row / 1000, 53, ...names.map((_, i) => row * i)].join(','),
  );
  writeFileSync(wide, [['lon', 'lat', ...names].join(','), ...rows, ''].join('\n'));
  await onWorkspace(service!.url, async (page) => {
    await addFiles(page, empty);
    await page.getByText(/^0 features/).waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('csv');
    await button(page, 'Convert').click();
    await page.getByRole('link', { name: /^Download empty\.csv/ }).waitFor();
    await check(page, 'workspace-no-features');
    await page.getByRole('button', { name: 'Remove empty.geojson' }).click();

    await addFiles(page, wide);
    await page.getByText(/^150 features, Point, 300 fields/).waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('shp');
    const forecast = page.getByRole('region', { name: 'What this output will lose' });
    // The service states it: a .dbf holds at most 255 fields.
    await forecast.getByText(/300 fields, and a Shapefile at most 255/).waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('gpkg');
    await forecast.getByText('150 features read, 150 written').waitFor();
    await page.getByRole('button', { name: /Table/ }).click();
    const grid = page.getByRole('grid');
    await grid.getByText('a_long_name_of_field_0', { exact: false }).first().waitFor();
    assert.equal(await grid.getAttribute('aria-colcount'), '300');
    await check(page, 'workspace-300-fields');
  });
});

test('a broken file of each format says what is wrong with it', { skip }, async () => {
  using workspace = makeWorkspace();
  await onWorkspace(service!.url, async (page) => {
    for (const name of ['harbour.csv', 'harbour.dxf', 'harbour.geojson', 'harbour.gpkg', 'harbour.zip']) {
      const content = readFileSync(join(SAMPLES, name));
      const broken = `broken${extname(name)}`;
      // Half of a table is a smaller table: a quote that never ends is not.
      const bytes = name.endsWith('.csv')
        ? `${content.toString()}1,"no end`
        : content.subarray(0, content.length / 2);
      writeFileSync(join(workspace.path, broken), bytes);
      await addFiles(page, join(workspace.path, broken));
      const alert = page.getByRole('listitem').getByRole('alert').first();
      await alert.waitFor();
      const sentence = (await alert.textContent()) ?? '';
      assert.ok(
        sentence.length > 20 && !/internal|undefined|\[object/i.test(sentence),
        `${name}: ${sentence}`,
      );
      assert.ok(await button(page, 'Convert').isVisible());
      await page.getByRole('button', { name: `Remove ${broken}` }).click();
      await alert.waitFor({ state: 'detached' });
    }
  });
});

/** Squares that overlap: their union takes some seconds. */
function manySquares(count: number): string {
  const side = Math.ceil(Math.sqrt(count));
  const features = Array.from({ length: count }, (_, i) => {
    const [x, y] = [8 + (i % side) * 0.01, 40 + Math.floor(i / side) * 0.01];
    const ring = [
      [x, y],
      [x + 0.013, y],
      [x + 0.013, y + 0.013],
      [x, y + 0.013],
      [x, y],
    ];
    return { type: 'Feature', properties: { i }, geometry: { type: 'Polygon', coordinates: [ring] } };
  });
  return JSON.stringify({ type: 'FeatureCollection', features });
}

test('a job goes on after the service was killed and started again', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'squares.geojson');
  writeFileSync(file, manySquares(10_000));
  const settings = { PORT: String(await freePort()), DATA_DIR: join(workspace.path, 'data') };
  let server = await startServerProcess(settings);
  try {
    const restarted = async (page: Page) => {
      // Its scripts are loaded once: without them there is no map to come back.
      const map = page.waitForResponse(/map-worker/);
      await addFiles(page, file);
      await page.getByText('10,000 features, Polygon').waitFor();
      await (await map).finished();
      for (const type of ['buffer', 'union']) await addStep(page, type);
      await page.getByLabel('Distance').fill('20');
      await page.getByLabel('Units').selectOption('meters');
      await button(page, 'Convert').click();
      // On a busy machine it may have ended before the page says so.
      await page
        .locator('.run')
        .getByText(/^(Opening|Reading|Converting|Writing|Done)/)
        .waitFor();
      await server.kill();
      server = await startServerProcess(settings);
      await page.getByRole('link', { name: /^Download squares\.gpkg/ }).waitFor();
      await page.getByText('10,000', { exact: true }).first().waitFor();
    };
    await onWorkspaceWithMap(server.url, restarted, {}, BROKEN_CONNECTION);
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

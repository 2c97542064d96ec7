/** Inputs that the service fetches by their URL, in the workspace: with the keyboard alone, and what is shown when that fails. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { LAYER_PATH, startArcgis } from '../../../test/support/arcgis-server.ts';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { startFileHost } from '../../../test/support/file-host.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addStep, checkEverywhere, onWorkspace, showPart } from '../../../test/support/workspace-page.ts';

if (skip === false) await buildWorkspace();
const arcgis = await startArcgis();
/** 11 m wide: four of the seven points of the layer, at 3 to 40 m, are within. */
const square = [[[0, 0], [1e-4, 0], [1e-4, -1e-4], [0, -1e-4], [0, 0]]]; // biome-ignore format: a table
const file = JSON.stringify({
  type: 'Feature',
  properties: { name: '<b>west</b>' },
  geometry: { type: 'Polygon', coordinates: square },
});
const host = await startFileHost({
  '/export': (_request, response) => void response.end(file),
  '/gone.geojson': (_request, response) => void response.writeHead(410).end(),
});
const service = await startTestService({
  runner: null,
  settings: {
    INPUT_URL_HOSTS: `127.0.0.1:${arcgis.port},127.0.0.1:${host.port}`,
    INPUT_URL_PRIVATE_NETWORKS: '127.0.0.0/8',
    RUNNERS: '1',
  },
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await arcgis[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
});

const field = (page: Page) => page.getByRole('textbox', { name: 'URL of a file or an ArcGIS layer' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function fetchUrl(page: Page, url: string): Promise<void> {
  await field(page).fill(url);
  await field(page).press('Enter');
}

/** The sentence of the service about this input. */
async function messageOfService(url: string): Promise<string> {
  const response = await fetch(`${service.url}/v1/inspect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: { format: 'geojson', url } }),
  });
  assert.equal(response.status, 400);
  return ((await response.json()) as { detail: string }).detail;
}

test('a layer is read and clipped by a file at another URL; each is fetched to be inspected, drawn and converted only', {
  skip,
}, async () => {
  await onWorkspace(service.url, async (page) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('by its url');
    await page.keyboard.press('Enter');
    await page.locator('input[type=url]:focus').waitFor();
    await page.keyboard.type(`${arcgis.url}${LAYER_PATH}?token=hidden`);
    await page.keyboard.press('Enter');
    await page.getByText('7 features, Point').waitFor();
    const address = page.getByText('Fetched by the service from');
    assert.equal(
      await address.textContent(),
      `Fetched by the service from 127.0.0.1:${arcgis.port}${LAYER_PATH}`,
    );
    await page.getByText(/° E$/).waitFor();
    await fetchUrl(page, `${host.url}/export?key=hidden`);
    await page.getByRole('alert').getByText('The URL does not show the format of the file.').waitFor();
    await check(page, 'state-url-format');
    await page.getByLabel('Format of the file').selectOption('geojson');
    await button(page, 'Fetch').click();
    await page.getByText('1 feature, Polygon').waitFor();
    await page
      .getByRole('list', { name: 'Layers of the map' })
      .getByRole('checkbox', { name: 'export' })
      .waitFor();
    await addStep(page, 'clip');
    await page.getByLabel('Polygons of a source').selectOption('export');
    await page.getByText('Used by a step, not converted.').waitFor();
    // For the inspection and the map. Another request would come with a dry run.
    const asked = host.requests.length;
    assert.equal(asked, 2);
    await button(page, 'Convert').click();
    await page.getByText(/^7 features read from .*, 4 written/).waitFor();
    assert.equal(host.requests.length, asked + 1);
    await showPart(page, 'Files');
    await checkEverywhere(page, 'state-url');
  });
});

test('what the service says of a URL is shown word for word, and the URL can be corrected', {
  skip,
}, async () => {
  const refused = 'http://data.example.org/roads.geojson';
  const gone = `${host.url}/gone.geojson`;
  await onWorkspace(service.url, async (page) => {
    await fetchUrl(page, 'ftp://data.example.org/roads.geojson');
    await page
      .getByRole('alert')
      .getByText('This is not a URL that begins with https:// or http://.')
      .waitFor();
    assert.equal(await field(page).getAttribute('aria-invalid'), 'true');
    for (const url of [refused, gone]) {
      await fetchUrl(page, url);
      await page
        .getByRole('alert')
        .getByText(await messageOfService(url))
        .waitFor();
      await button(page, 'Edit the URL').press('Enter');
      await page.locator('input[type=url]:focus').waitFor();
      assert.equal(await field(page).inputValue(), url);
      await page.getByText('Drop files anywhere on this page.').waitFor();
    }
  });
});

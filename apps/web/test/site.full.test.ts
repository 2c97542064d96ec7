/** The static site: a page without a service, which converts by itself. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { convert } from '../../../packages/library/src/library.ts';
import { noBrowser as skip } from '../../../test/support/browser.ts';
import { type SiteServer, startSite } from '../../../test/support/site-server.ts';
import { addFiles, checkEverywhere, onWorkspace, showPart } from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
const HARBOUR = join(SAMPLES, 'harbour.geojson');

let site: SiteServer | null = null;
after(() => site?.[Symbol.asyncDispose]());

async function started(): Promise<SiteServer> {
  site ??= await startSite('/some/where/');
  return site;
}

const file = (name: string, value: unknown) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
});

/** Around the western half of the basin. */
const AREA = {
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

async function converted(page: Page): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  await page.getByRole('button', { name: 'Convert', exact: true }).click();
  await showPart(page, 'Result');
  const link = page.getByRole('link', { name: /^Download harbour/ });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

test('converts without a service, from any path, and asks no other host', { skip }, async () => {
  const { url } = await started();
  const seen: string[] = [];
  await onWorkspace(url, async (page, { requests }) => {
    await page.getByText('On this computer: no file leaves it.').waitFor();
    await addFiles(page, HARBOUR);
    await page.getByText('10 features, Point').waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('kml');
    const { name, bytes } = await converted(page);
    const { files } = await convert({ input: HARBOUR, output: { format: 'kml' } });
    assert.equal(name, 'harbour.kml');
    assert.ok(bytes.equals(await files[0].bytes()));
    await page.getByText("10 features read from 'harbour.geojson', 10 written").waitFor();
    assert.equal(await page.getByRole('button', { name: 'Earlier jobs…' }).count(), 0);
    await checkEverywhere(page, 'site-result');
    seen.push(...requests);
  });
  assert.ok(
    seen.every((address) => address.startsWith(url) || address.startsWith('blob:')),
    seen.join('\n'),
  );
});

test('clips by a file and reprojects, as Node.js does', { skip }, async () => {
  const { url } = await started();
  const job = {
    inputs: [{ path: 'harbour.geojson', format: 'geojson' }],
    steps: [{ type: 'clip', params: { mask: 'area.geojson', mask_format: 'geojson' } }],
    outputs: [{ path: 'harbour.csv', format: 'csv', epsg: 'EPSG:25832' }],
  };
  const directory = mkdtempSync(join(tmpdir(), 'geomill-mask-'));
  try {
    const mask = join(directory, 'area.geojson');
    writeFileSync(mask, JSON.stringify(AREA));
    const steps = [{ type: 'clip', params: { mask, mask_format: 'geojson' } }] as never;
    const { files, report } = await convert({ input: HARBOUR, steps, output: { format: 'csv', crs: 25832 } });
    await onWorkspace(url, async (page) => {
      await page.getByLabel('Files to convert').setInputFiles([file('job.json', job)]);
      await page.getByLabel('File harbour.geojson').setInputFiles(HARBOUR);
      await page.getByText('10 features, Point').waitFor();
      await page.getByLabel('Files to convert').setInputFiles([file('area.geojson', AREA)]);
      const { bytes } = await converted(page);
      // Browsers have other sines than Node.js: the 15th digit of a coordinate can differ.
      const rounded = (text: Uint8Array) =>
        Buffer.from(text)
          .toString()
          .replace(/\d+\.\d+/g, (value) => Number(value).toFixed(6));
      assert.equal(rounded(bytes), rounded(await files[0].bytes()));
      await page.getByText(`${report.features.written} written as csv in EPSG:25832`).waitFor();
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('cancels a conversion, and converts after it', { skip }, async () => {
  const { url } = await started();
  const feature = JSON.stringify({ type: 'Feature', properties: { name: 'x'.repeat(80) }, geometry: AREA });
  const many = `{"type":"FeatureCollection","features":[${Array(20_000).fill(feature).join()}]}`;
  await onWorkspace(url, async (page) => {
    await page.getByLabel('Files to convert').setInputFiles([file('many.geojson', many)]);
    await page.getByRole('button', { name: 'Convert', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled').waitFor();
    await page.getByRole('button', { name: 'Remove many.geojson' }).click();
    await addFiles(page, HARBOUR);
    await page.getByText('10 features, Point').waitFor();
    assert.ok((await converted(page)).bytes.length > 0);
  });
});

test('says what is wrong with a damaged file, and goes on', { skip }, async () => {
  const { url } = await started();
  const damaged = readFileSync(HARBOUR, 'utf8').slice(0, 900);
  await onWorkspace(url, async (page) => {
    await page.getByLabel('Files to convert').setInputFiles([file('cut.geojson', damaged)]);
    await page.getByRole('alert').filter({ hasText: 'the file ends in the middle of a value' }).waitFor();
    await page.getByRole('button', { name: 'Remove cut.geojson' }).click();
    await addFiles(page, HARBOUR);
    await page.getByText('10 features, Point').waitFor();
  });
});

test('works without a network after the first visit', { skip }, async () => {
  const { url, stop } = await started();
  await onWorkspace(url, async (page) => {
    await page.evaluate('navigator.serviceWorker.ready');
    // The last test: there is no server from here on.
    stop();
    await page.reload();
    await page.getByRole('heading', { name: 'Sources' }).waitFor();
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('10 features, Point').waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('geojson');
    const { bytes } = await converted(page);
    assert.equal(JSON.parse(bytes.toString()).features.length, 10);
  });
});

/** Job documents in the workspace: dropped, in a link, kept over a reload, and pasted text as sources. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { startTestService } from '../../../test/support/service.ts';
import { addFiles, onWorkspace } from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const JOB = {
  inputs: [{ path: 'data/harbour.gpkg' }],
  steps: [{ type: 'buffer', params: { distance: 25, units: 'meters' } }],
  outputs: [{ path: 'zones.csv', epsg: 25832 }],
};

test('a dropped job document opens, takes its file, and comes back after a reload', { skip }, async () => {
  using workspace = makeWorkspace();
  const file = join(workspace.path, 'job.json');
  writeFileSync(file, JSON.stringify(JOB));
  await onWorkspace(service.url, async (page) => {
    await addFiles(page, file);
    await page.getByRole('alert').getByText('This file is not in the page.').waitFor();
    await check(page, 'workspace-document');
    assert.equal(await page.getByLabel('Distance').inputValue(), '25');
    assert.equal(await page.getByLabel('Format', { exact: true }).inputValue(), 'csv');
    await page.getByLabel('File harbour.gpkg').setInputFiles(join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('10 features, Point').waitFor();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.waitForURL(/#pipeline=/);
    await page.reload();
    await page.getByText('This file is not in the page.').waitFor();
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    assert.equal(await page.getByLabel('Distance').inputValue(), '25');
  });
});

test('a link opens its steps, as base64url and as JSON, and is copied again', { skip }, async () => {
  const { steps } = JOB;
  const text = JSON.stringify({ steps });
  const links = [
    `/#pipeline=${Buffer.from(text).toString('base64url')}`,
    `/?pipeline=${encodeURIComponent(text)}`,
  ];
  for (const path of links)
    await onWorkspace(
      service.url,
      async (page) => {
        assert.equal(await page.getByLabel('Distance').inputValue(), '25');
        await addFiles(page, join(SAMPLES, 'harbour.geojson'));
        await page.getByText('10 features, Point').waitFor();
        await page.getByRole('button', { name: 'Copy as…' }).click();
        await page.getByRole('button', { name: 'Link', exact: true }).click();
        const link = (await page.locator('dialog pre').textContent()) ?? '';
        assert.ok(link.startsWith(`${service.url}/#pipeline=`), link);
        await check(page, 'workspace-link');
        const document = JSON.parse(Buffer.from(link.split('=')[1], 'base64url').toString());
        assert.deepEqual(document.steps, steps);
        assert.equal(new URL(page.url()).search, '');
      },
      { path },
    );
});

test('a link with an unknown key or a cut-off link says so', { skip }, async () => {
  const text = JSON.stringify({ steps: [{ type: 'buffer', params: { '<b>width</b>': 1 } }] });
  for (const [value, message] of [
    [encodeURIComponent(text), "Unknown key 'steps[0].params.<b>width</b>'"],
    ['eyJz', 'not JSON'],
  ])
    await onWorkspace(
      service.url,
      async (page) => {
        await page.getByRole('alert').getByText(message).waitFor();
        assert.equal(await page.locator('main b').count(), 0);
      },
      { path: `/#pipeline=${value}` },
    );
});

test('pasted GeoJSON and WKT become sources; an address is fetched only where that is allowed', {
  skip,
}, async () => {
  await onWorkspace(service.url, async (page) => {
    await page.getByText('Paste text').click();
    const box = page.getByLabel('GeoJSON, WKT or a job document');
    const add = page.getByRole('button', { name: 'Add', exact: true });
    await box.fill('{"type":"Point","coordinates":[8.5,53.5]}');
    await add.click();
    await page.getByText('1 feature, Point').waitFor();
    await box.fill('SRID=25832;LINESTRING(466000 5930000, 467000 5931000)');
    await add.click();
    await page.getByText('1 feature, LineString').waitFor();
    await box.fill('no geodata');
    await add.click();
    await page.getByRole('alert').getByText('not GeoJSON, WKT').waitFor();
    await check(page, 'workspace-pasted');
    await box.fill('https://data.example.org/harbour.zip');
    await add.click();
    await page.getByRole('alert').getByText('This service does not fetch files by URL.').waitFor();
    assert.equal(await page.getByLabel('URL of a file or an ArcGIS layer').count(), 0);
  });
});

/** Runs that are cancelled, lose the service, leave nothing, or are several: in a real browser, on the real service. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { GeomillClient } from '../../../packages/client/src/client.ts';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { startTestService } from '../../../test/support/service.ts';
import {
  addFiles,
  BROKEN_CONNECTION,
  NARROW_LOOKS,
  onWorkspace,
} from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
const TITLE = 'Convert vector geodata - geomill';
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null, settings: { RUNNERS: '1' } });
after(() => service[Symbol.asyncDispose]());
const client = new GeomillClient({ baseUrl: service.url });

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const iconOf = (page: Page) => page.locator('link[rel="icon"]').getAttribute('href');

/** Until it is drawn, too: what draws it is a job as well. */
async function addHarbour(page: Page): Promise<void> {
  await addFiles(page, join(SAMPLES, 'harbour.geojson'));
  await page.getByRole('list', { name: 'Layers of the map' }).getByRole('checkbox').first().waitFor();
}

/** Points whose buffers on the ellipsoid take the only runner for many seconds. */
function slowCsv(): string {
  const rows = Array.from({ length: 300_000 }, (_, i) => `${(i % 3000) / 100},${(i % 5000) / 100}\n`);
  return `lon,lat\n${rows.join('')}`;
}

async function occupyRunner() {
  return client.submit({
    input: { name: 'slow.csv', data: slowCsv() },
    config: {
      input: { format: 'csv', epsg: 4326 },
      transformations: [{ type: 'buffer', params: { distance: 100, units: 'meters', geodesic: true } }],
      output: { format: 'geojson' },
    },
  });
}

test('a job is cancelled here or elsewhere; title and icon show the progress until then', {
  skip,
}, async () => {
  await onWorkspace(service.url, async (page) => {
    const icon = await iconOf(page);
    await addHarbour(page);
    for (const where of ['here', 'elsewhere'] as const) {
      const slow = await occupyRunner();
      const submitted = page.waitForResponse((response) => response.url().endsWith('/transform'));
      await button(page, 'Convert').click();
      const { job_id: id } = (await (await submitted).json()) as { job_id: string };
      await page.getByText('Waiting for its turn').waitFor();
      await page.waitForFunction("document.title.endsWith(' % - geomill')");
      assert.match((await iconOf(page)) ?? '', /^data:image\/png/);
      if (where === 'here') await button(page, 'Cancel').click();
      else await client.job(id).cancel();
      await page.locator('.run').getByText('Cancelled').waitFor();
      assert.equal(await page.title(), TITLE);
      assert.equal(await iconOf(page), icon);
      const { status, error } = await client.job(id).status();
      assert.deepEqual([status, error?.code], ['FAILED', 'CANCELLED']);
      await slow.cancel();
    }
    assert.equal(await page.getByRole('alert').count(), 0);
    await check(page, 'workspace-cancelled');
  });
});

test('a run goes on while the service does not answer, and ends as the job did', { skip }, async () => {
  const steps = async (page: Page) => {
    await addHarbour(page);
    let isAway = true;
    await page.route('**/v1/jobs/**', (route) =>
      isAway ? route.abort('connectionrefused') : route.continue(),
    );
    const submitted = page.waitForResponse((response) => response.url().endsWith('/transform'));
    await button(page, 'Convert').click();
    const { job_id: id } = (await (await submitted).json()) as { job_id: string };
    await client.job(id).wait();
    await page.getByText('The service does not answer.').waitFor();
    assert.equal(await page.getByRole('link', { name: /^Download (?!findings)/ }).count(), 0);
    await check(page, 'workspace-away');
    isAway = false;
    await page.getByRole('link', { name: 'Download harbour.gpkg' }).waitFor();
    await page.getByText('The service does not answer.').waitFor({ state: 'detached' });
  };
  await onWorkspace(service.url, steps, {}, BROKEN_CONNECTION);
});

test('a job is submitted once when the service that was away answers again', { skip }, async () => {
  await onWorkspace(
    service.url,
    async (page) => {
      await addHarbour(page);
      const keys: (string | undefined)[] = [];
      // The client itself gives up after five attempts; the sixth is accepted, but its answer is lost.
      await page.route('**/transform', async (route) => {
        const key = route.request().headers()['idempotency-key'];
        if (key === undefined) return route.continue();
        keys.push(key);
        if (keys.length === 6) await route.fetch();
        return keys.length <= 6 ? route.abort('connectionrefused') : route.continue();
      });
      await button(page, 'Convert').click();
      await page.getByText('The service does not answer.').waitFor();
      await page.getByRole('link', { name: 'Download harbour.gpkg' }).waitFor();
      assert.equal(keys.length, 7);
      assert.equal(new Set(keys).size, 1);
    },
    {},
    BROKEN_CONNECTION,
  );
});

test('an empty result says which step left nothing, and how far away the mask is', { skip }, async () => {
  using workspace = makeWorkspace();
  // The sample is around 8.5 E, 53.5 N: the mask is a degree and a half south of it, 167 km or more.
  const ring = [[8, 51], [9, 51], [9, 52], [8, 52], [8, 51]]; // biome-ignore format: one line
  const steps = [
    { type: 'explode' },
    { type: 'clip', params: { clipping_geojson: { type: 'Polygon', coordinates: [ring] } } },
  ];
  const job = join(workspace.path, 'job.json');
  const inputs = [{ path: 'harbour.geojson', format: 'geojson' }];
  writeFileSync(job, JSON.stringify({ inputs, steps, outputs: [{ path: 'a.gpkg', format: 'gpkg' }] }));
  const { features } = JSON.parse(readFileSync(join(SAMPLES, 'harbour.geojson'), 'utf8')) as {
    features: { geometry: { coordinates: unknown } }[];
  };
  const numbers = features.map(({ geometry }) => (geometry.coordinates as never[]).flat(9) as number[]);
  const south = Math.min(...numbers.flatMap((list) => list.filter((_, i) => i % 2 === 1)));
  for (const look of NARROW_LOOKS)
    await onWorkspace(
      service.url,
      async (page) => {
        await addFiles(page, job, join(SAMPLES, 'harbour.geojson'));
        await page.getByText('10 features').first().waitFor();
        await page.getByRole('checkbox', { name: 'harbour.geojson' }).first().waitFor();
        await button(page, 'Convert').click();
        await page.getByText('Nothing is left after step 2, clip: 14 to 0.').waitFor();
        const text = (await page.getByText('The mask is at least').textContent()) ?? '';
        const [, kilometres] = /at least ([\d.]+) km away/.exec(text) ?? [];
        // A degree of latitude has 111.2 to 111.4 km here.
        const exact = (south - 52) * 111.3;
        assert.ok(Number(kilometres) <= exact && Number(kilometres) > exact * 0.97, `${text} ${exact}`);
        await check(page, 'workspace-empty-result');
      },
      look,
    );
});

test('several results are downloaded as one archive, and the link of one is copied', { skip }, async () => {
  using workspace = makeWorkspace();
  await onWorkspace(service.url, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await addFiles(page, join(SAMPLES, 'harbour.geojson'), join(SAMPLES, 'harbour.gpkg'));
    await page.getByText('10 features').nth(1).waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('geojson');
    await button(page, 'Convert').click();
    await page
      .getByRole('link', { name: /^Download harbour/ })
      .nth(1)
      .waitFor();
    await check(page, 'workspace-several-results');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Download all/ }).click(),
    ]);
    const saved = join(workspace.path, 'all.zip');
    await download.saveAs(saved);
    await button(page, 'Copy link').first().click();
    await page.getByText('Copied. It works until').waitFor();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    const output = Buffer.from(await (await fetch(link)).arrayBuffer());
    const script = 'import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print(*z.namelist(),sep="|");[sys.stderr.buffer.write(z.read(n)) for n in z.namelist()[1:]]'; // biome-ignore format: one line
    const { stdout, stderr } = spawnSync('python3', ['-c', script, saved]);
    assert.equal(stdout.toString().trim(), 'harbour.geojson|harbour (2).geojson');
    // The newest run is the first in the list and the last in the archive.
    assert.deepEqual(stderr, output);
  });
});

/** The pages for converting files in a real browser, on the real service: every state, accessible and without a complaint. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN } from '../../../../test/support/account-area.ts';
import {
  check,
  open,
  noBrowser as skip,
  startBrowser,
  type Watched,
} from '../../../../test/support/browser.ts';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { IS_EXHAUSTIVE } from '../../../../test/support/exhaustive.ts';
import { startTestService, type TestService } from '../../../../test/support/service.ts';

const SAMPLES = join(import.meta.dirname, '../../../../samples');
/** These browsers run scripts; others are in apps/web/test. */
const FORM_ONLY = { WEB: 'form' };
const LOOKS = [
  [1440, 900, false],
  [390, 844, true],
  [1440, 900, true],
  [390, 844, false],
] as const;

const WITHOUT_MOST_ARTICLES =
  "for (const article of [...document.querySelectorAll('article')].slice(6)) article.remove()";

/** Runs the steps in every look; nothing is loaded from another host, and the browser complains of nothing. */
async function inEveryLook(
  service: TestService,
  steps: (page: Page, shot: (name: string) => Promise<void>) => Promise<void>,
  looks: readonly (typeof LOOKS)[number][] = IS_EXHAUSTIVE ? LOOKS : LOOKS.slice(0, 2),
): Promise<void> {
  const browser = await startBrowser();
  try {
    for (const [width, height, isDark] of looks) {
      const watched = await open(browser, width, isDark, { height });
      await steps(watched.page, (name) => check(watched.page, name));
      quiet(watched, service);
    }
  } finally {
    for (const context of browser.contexts()) await context.close();
  }
}

function quiet({ complaints, requests }: Watched, { url }: TestService): void {
  // The browser tells of every answer above 399; those are meant.
  assert.deepEqual(complaints.filter((text) => !/status of 400/.test(text)), []); // biome-ignore format: one line
  assert.deepEqual(requests.filter((target) => !target.startsWith(`${url}/`)), []); // biome-ignore format: one line
}

async function choose(page: Page, url: string, ...paths: string[]): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Files', { exact: true }).setInputFiles(paths);
}

/** The page of a job that runs reloads by itself, on a busy machine also while it is checked: then it is checked again. */
async function untilStill(act: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      return await act();
    } catch (error) {
      if (tries === 10 || !/Execution context was destroyed/.test(String(error))) throw error;
    }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('converts a file, shows the report and downloads the output', { skip }, async () => {
  await using service = await startTestService({ runner: null, settings: FORM_ONLY });
  await inEveryLook(service, async (page, shot) => {
    await page.goto(service.url);
    await shot('start');
    for (const more of ['More options', 'Clip']) await page.locator('summary', { hasText: more }).click();
    await shot('start-options');
    await choose(page, service.url, join(SAMPLES, 'harbour.gpkg'));
    await page.getByLabel('Convert to').selectOption('shp');
    await page.getByLabel('CRS of the output').fill('EPSG:25832');
    await button(page, 'Convert').click();
    await page.getByRole('link', { name: /^Download/ }).waitFor();
    await shot('converted');
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'harbour.gpkg');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: /^Download/ }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), 'harbour.zip');
    assert.deepEqual(
      readFileSync(await file.path())
        .subarray(0, 2)
        .toString(),
      'PK',
    );
    await button(page, 'Delete this job').click();
    assert.equal(new URL(page.url()).pathname, '/');
  });
});

test('inspects a file and goes on to convert it', { skip }, async () => {
  await using service = await startTestService({ runner: null, settings: FORM_ONLY });
  await inEveryLook(service, async (page, shot) => {
    await choose(page, service.url, join(SAMPLES, 'harbour.gpkg'));
    await button(page, 'Inspect').click();
    await page.getByRole('heading', { name: 'Convert it' }).waitFor();
    await shot('inspected');
    assert.match((await page.getByRole('main').textContent()) ?? '', /EPSG:\d+/);
    await page.getByLabel('Files', { exact: true }).setInputFiles(join(SAMPLES, 'harbour.gpkg'));
    await button(page, 'Convert').click();
    await page.getByRole('link', { name: /^Download/ }).waitFor();
  });
});

test('a file that cannot be read, and one without a CRS, lead to the next step', { skip }, async () => {
  await using service = await startTestService({ runner: null, settings: FORM_ONLY });
  using workspace = makeWorkspace();
  const gml = join(workspace.path, 'tour.gml');
  writeFileSync(gml, '<gml:FeatureCollection/>');
  const csv = join(workspace.path, 'survey.csv');
  writeFileSync(csv, 'id,x,y\n1,562000.5,5934000.25\n2,562100.5,5934100.25\n');
  await inEveryLook(service, async (page, shot) => {
    await choose(page, service.url, gml);
    await page.getByLabel('CRS of the output').fill('EPSG:3857');
    await button(page, 'Convert').click();
    const alert = page.getByRole('alert');
    assert.match((await alert.textContent()) ?? '', /GML.*not supported.*Supported: GeoJSON/);
    assert.equal(await page.getByLabel('CRS of the output').inputValue(), 'EPSG:3857');
    await shot('unsupported');

    await choose(page, service.url, join(SAMPLES, 'harbour.geojson'));
    await page.getByLabel('CRS of the output').fill('UTM zone 32N');
    await button(page, 'Convert').click();
    await page.getByRole('radio', { name: /EPSG:25832/ }).check();
    await shot('crs-by-name');
    await page.getByLabel('Files', { exact: true }).setInputFiles(join(SAMPLES, 'harbour.geojson'));
    await button(page, 'Convert').click();
    await page.getByRole('link', { name: /^Download/ }).waitFor();

    await choose(page, service.url, csv);
    await button(page, 'Convert').click();
    assert.match(
      (await page.getByRole('alert').textContent()) ?? '',
      /CRS of layer 'survey' is unknown.*fill in 'CRS of the input'/,
    );
    await shot('crs-missing');
    await page.getByRole('radio').first().check();
    await page.getByLabel('Files', { exact: true }).setInputFiles(csv);
    await button(page, 'Convert').click();
    await page.getByRole('link', { name: /^Download/ }).waitFor();
  });
});

test('several files are several jobs on one page', { skip }, async () => {
  await using service = await startTestService({ runner: null, settings: FORM_ONLY });
  await inEveryLook(service, async (page, shot) => {
    const names = ['harbour.gpkg', 'harbour.geojson', 'harbour.zip'];
    await choose(page, service.url, ...names.map((name) => join(SAMPLES, name)));
    await page.getByLabel('Convert to').selectOption('csv');
    await button(page, 'Convert').click();
    await page.getByText('All files are done.').waitFor();
    await shot('several');
    assert.equal(await page.getByRole('row').count(), 4);
  });
});

test('a job that runs shows its progress, and can be cancelled', { skip }, async () => {
  // The fake runner never ends a job with this content.
  await using service = await startTestService({ settings: FORM_ONLY });
  using workspace = makeWorkspace();
  const endless = join(workspace.path, 'endless.geojson');
  writeFileSync(endless, 'hang');
  await inEveryLook(service, async (page, shot) => {
    await choose(page, service.url, endless);
    await button(page, 'Convert').click();
    await page.getByText('Converting:').waitFor();
    await untilStill(() => shot('running'));
    await button(page, 'Cancel').click();
    await page.getByRole('alert').waitFor();
    await shot('cancelled');
  });
  const slow = join(workspace.path, 'slow.geojson');
  writeFileSync(slow, 'wait 4000');
  await inEveryLook(
    service,
    async (page) => {
      await choose(page, service.url, slow);
      await button(page, 'Convert').click();
      await page.getByText('Converting:').waitFor();
      // The page reloads by itself.
      await page.getByRole('link', { name: /^Download/ }).waitFor();
    },
    LOOKS.slice(0, 1),
  );
});

test('names with markup stay text', { skip }, async () => {
  await using service = await startTestService({ runner: null, settings: FORM_ONLY });
  using workspace = makeWorkspace();
  const markup = '<img src=x onerror=alert(1)>&"\'';
  const feature = {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [1, 2] },
    properties: { [markup]: 1 },
  };
  const file = join(workspace.path, `${markup.replaceAll('/', '')}.geojson`);
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', name: markup, features: [feature] }));
  await inEveryLook(
    service,
    async (page, shot) => {
      for (const action of ['Inspect', 'Convert']) {
        await choose(page, service.url, file);
        await page.getByLabel('Convert to').selectOption('csv');
        await button(page, action).click();
        await page.getByRole('heading', { name: 'As a command' }).waitFor();
        await shot(`markup-${action.toLowerCase()}`);
        assert.ok(((await page.getByRole('main').textContent()) ?? '').includes(markup));
        assert.equal(await page.locator('img').count(), 0);
      }
    },
    LOOKS.slice(0, 2),
  );
});

test('the documentation is part of the same product', { skip }, async () => {
  await using service = await startTestService({ settings: FORM_ONLY });
  await inEveryLook(
    service,
    async (page, shot) => {
      await page.goto(service.url);
      await page.getByRole('link', { name: 'Documentation' }).click();
      // With all articles, which have the same parts and 50,000 elements, it takes as long as all other pages together.
      if (!IS_EXHAUSTIVE) await page.evaluate(WITHOUT_MOST_ARTICLES);
      await shot('docs');
      await page.getByRole('link', { name: 'geomill', exact: true }).click();
      assert.equal(page.url(), `${service.url}/`);
      await page.getByRole('link', { name: 'GeoPackage', exact: true }).click();
      assert.equal(new URL(page.url()).hash, '#transformGpkg');
    },
    LOOKS.slice(0, 1),
  );
});

test('with credentials: sign in, then convert', { skip }, async () => {
  await using service = await startTestService({
    runner: null,
    settings: { ...FORM_ONLY, AUTH: 'required' },
  });
  const browser = await startBrowser();
  try {
    const watched = await open(browser, 1440);
    const { page } = watched;
    await page.goto(service.setupLink ?? '');
    await page.getByLabel('E-mail address').fill(ADMIN.email);
    for (const label of ['New password', 'Repeat the new password'])
      await page.getByLabel(label, { exact: true }).fill(ADMIN.password);
    await page.getByRole('button', { name: 'Create the administrator' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(service.url);
    await check(page, 'signed-out');
    assert.equal(await page.locator('input[type=file]').count(), 0);
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail address').fill(ADMIN.email);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    assert.equal(page.url(), `${service.url}/`);
    await check(page, 'signed-in');
    await page.getByLabel('Files', { exact: true }).setInputFiles(join(SAMPLES, 'harbour.geojson'));
    await button(page, 'Convert').click();
    await page.getByRole('link', { name: /^Download/ }).waitFor();
    await check(page, 'signed-in-converted');
    await page.getByRole('link', { name: 'Your jobs' }).click();
    await page.getByText('harbour.geojson').waitFor();
    quiet(watched, service);
  } finally {
    for (const context of browser.contexts()) await context.close();
  }
});

/** The workspace under the settings of operators: a path prefix, WEB, and map tiles of another host. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { check, noBrowser as skip, type Watched } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { TestCredentials } from '../../../test/support/credentials.ts';
import { startPrefixProxy } from '../../../test/support/prefix-proxy.ts';
import { startTestService } from '../../../test/support/service.ts';
import {
  NOT_SIGNED_IN,
  onPage,
  onWorkspace,
  onWorkspaceWithMap,
} from '../../../test/support/workspace-page.ts';
import { OneTimeLinks } from '../../service/src/pages/account/one-time-links.ts';

const HARBOUR = join(import.meta.dirname, '../../../samples/harbour.geojson');
const PASSWORD = 'seven green boats sail';
/** One green pixel. */
const TILE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

if (skip === false) await buildWorkspace();

async function convert(page: Page): Promise<void> {
  await page.getByLabel('Files to convert').setInputFiles([HARBOUR]);
  await page.getByText('10 features, Point').waitFor();
  await page.getByRole('list', { name: 'Layers of the map' }).getByRole('checkbox').first().waitFor();
  await page.getByRole('button', { name: 'Convert', exact: true }).click();
  const link = page.getByRole('link', { name: /^Download (?!findings)/ });
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  assert.equal(download.suggestedFilename(), 'harbour.gpkg');
  assert.equal(await download.failure(), null);
}

test('everything works below a path prefix, open and with sign-in', { skip }, async () => {
  for (const AUTH of ['open', 'required']) {
    await using proxy = await startPrefixProxy('/tools/mill');
    await using service = await startTestService({
      runner: null,
      settings: { AUTH, BASE_URL: proxy.baseUrl },
    });
    proxy.forwardTo(service.url);
    const steps = async (page: Page) => {
      if (AUTH === 'required') {
        await using credentials = new TestCredentials(service.config.dataDirectory);
        const { database } = credentials.accounts;
        const token = await new OneTimeLinks(database).make({ purpose: 'setup', userId: null }, 'test');
        await page.goto(`${proxy.baseUrl}/account/setup?token=${token}`);
        await page.getByLabel('E-mail address').fill('ada@example.org');
        for (const label of await page.locator('input[type="password"]').all()) await label.fill(PASSWORD);
        await page.locator('main form button').click();
        await page.getByRole('link', { name: 'Settings' }).waitFor();
        await page.goto(`${proxy.baseUrl}/account/sign-in?next=%2F`);
        await page.getByRole('link', { name: 'ada@example.org' }).waitFor();
        assert.equal(page.url(), `${proxy.baseUrl}/`);
      }
      await convert(page);
    };
    await onWorkspace(`${proxy.baseUrl}/`, steps, {}, NOT_SIGNED_IN);
    assert.deepEqual(proxy.strays, []);
  }
});

test('WEB decides what a browser gets at /', { skip }, async () => {
  for (const AUTH of ['open', 'required'])
    for (const WEB of ['on', 'form', 'off']) {
      await using service = await startTestService({ settings: { AUTH, WEB } });
      const steps = async (page: Page, { requests }: Watched) => {
        if (WEB === 'on') await page.getByRole('heading', { name: 'Sources' }).waitFor();
        else if (WEB === 'off') assert.equal(page.url(), `${service.url}/docs`);
        else if (AUTH === 'open') await page.getByLabel('Files', { exact: true }).waitFor();
        else await page.getByText('Sign in to convert files here.').waitFor();
        assert.equal(
          requests.some((url) => url.includes('/assets/')),
          WEB === 'on',
        );
      };
      await onPage(service.url, steps, {}, NOT_SIGNED_IN);
    }
});

test('map tiles of another host are loaded only if the operator set it, and the page says so', {
  skip,
}, async () => {
  const paths: string[] = [];
  const referers: unknown[] = [];
  const host = createServer(({ url = '', headers }, response) => {
    paths.push(url);
    referers.push(headers.referer);
    response.writeHead(200, { 'content-type': 'image/png', 'access-control-allow-origin': '*' }).end(TILE);
  });
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  try {
    await using service = await startTestService({
      runner: null,
      settings: {
        MAP_TILES_URL: `${origin}/topo/{z}/{x}/{y}.png?key=1`,
        MAP_TILES_ATTRIBUTION: '© <b>Example</b> contributors',
      },
    });
    const tiled = async (page: Page): Promise<void> => {
      const { host: name } = new URL(origin);
      await page.getByText(`The map loads tiles from ${name}, which sees the areas you look at.`).waitFor();
      assert.deepEqual(paths, []);
      const arrived = page.waitForResponse((response) => response.url().startsWith(origin));
      await convert(page);
      assert.equal((await arrived).status(), 200);
      await page.getByText(`Map tiles from ${name}: © <b>Example</b> contributors`).waitFor();
      await check(page, 'workspace-tiles');
    };
    await onWorkspaceWithMap(service.url, tiled, {}, { origins: [origin] });
    for (const path of paths) assert.match(path, /^\/topo\/\d+\/\d+\/\d+\.png\?key=1$/);
    assert.deepEqual(new Set(referers), new Set([undefined]));

    await using plain = await startTestService({ runner: null });
    await onWorkspaceWithMap(plain.url, async (page, { complaints }) => {
      await convert(page);
      assert.equal(await page.getByText(/loads tiles from|map tiles from/i).count(), 0);
      const blocked = page.evaluate(
        (address) =>
          fetch(address).then(
            () => 'loaded',
            () => 'blocked',
          ),
        `${origin}/1`,
      );
      assert.equal(await blocked, 'blocked');
      assert.match(complaints.splice(0).join('\n'), /Content Security Policy/);
    });
  } finally {
    host.closeAllConnections();
    host.close();
  }
});

/** The documentation as it is served: in a browser without a complaint or a request to anybody else. `docs-page.test.ts` has what the pages say. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { formats } from '../../../../packages/formats/src/registry.ts';
import { noBrowser as skip, startBrowser } from '../../../../test/support/browser.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService } from '../../../../test/support/service.ts';
import { allOperations } from '../../src/http/operations/all.ts';

const service = await startTestService();
test.after(() => service[Symbol.asyncDispose]());

const ids = allOperations(formats).map(({ id }) => id);

test('the page tells of every operation, with the address that it was asked for by', async () => {
  const response = await fetch(`${service.url}/docs`);
  assert.equal(response.status, 200);
  const page = await response.text();
  for (const id of ids) assert.ok(page.includes(`<article id="${id}"`), id);
  assert.ok(page.includes(`${service.url}/v1/formats`));
  assert.doesNotMatch(page, /BASE_URL|\ue000|undefined|\[object|<script/);
});

test('a schema has a page, and an address of no schema has none', async () => {
  const page = await (await fetch(`${service.url}/docs/schemas/Problem`)).text();
  assert.ok(page.includes(`href="${service.url}/docs"`));
  const response = await fetch(`${service.url}/docs/schemas/Nothing`);
  assert.equal(response.status, 404);
  assert.match(await response.text(), /no such address: GET \/docs\/schemas\/Nothing/);
});

test('a page is sent again only when it has changed, and allows nothing but its own style', async () => {
  for (const path of ['/docs', '/docs/schemas/Problem']) {
    const response = await fetch(service.url + path);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; style-src 'sha256-/);
    assert.doesNotMatch(policy, /unsafe|https?:|script-src/);
    const headers = { 'if-none-match': response.headers.get('etag') ?? '' };
    assert.equal((await fetch(service.url + path, { headers })).status, 304);
  }
});

test('a browser shows it', { skip }, async () => {
  const browser = await startBrowser();
  for (const width of [1280, 390]) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${service.url}/docs`);
    for (const id of ids) assert.ok(await page.locator(`#${id} h3`).isVisible(), id);
    await checkOverflow(page, width);
    // Without a script: a schema is a page away, and from there the operation that uses it.
    await page.locator('#schemas').getByRole('link', { name: 'InspectConfig', exact: true }).click();
    await page.getByRole('heading', { name: 'InspectConfig' }).waitFor();
    await checkOverflow(page, width);
    await page.getByRole('main').getByRole('link', { name: 'Inspect a file' }).first().click();
    await page.waitForURL(`${service.url}/docs#inspect`);
    assert.ok(await page.locator('#inspect h3').isVisible());
    assert.deepEqual(complaints, []);
    const pages = ['docs', 'docs/schemas/InspectConfig', 'docs'];
    assert.deepEqual(requests.filter((url) => !url.startsWith('data:')), pages.map((path) => `${service.url}/${path}`)); // biome-ignore format: one line
    // As text: the page's globals are not those of the test.
    const background = await page.evaluate("getComputedStyle(document.querySelector('nav')).backgroundColor");
    assert.equal(background, 'rgb(244, 246, 249)', 'the style is applied');
    await page.close();
  }
});

/** Fails if the page is wider than its window. */
async function checkOverflow(page: Page, width: number): Promise<void> {
  const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  assert.ok(overflow <= 0, `${overflow} pixels of ${page.url()} stand out at a width of ${width}`);
}

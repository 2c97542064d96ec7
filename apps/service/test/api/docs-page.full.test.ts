/** The documentation page: complete, and in a browser without a complaint or a request to anybody else. */
import assert from 'node:assert/strict';
import test from 'node:test';
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

test('every link within the page leads somewhere', async () => {
  const page = await (await fetch(`${service.url}/docs`)).text();
  const targets = [...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(targets, [...new Set(targets)]);
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(links.filter((id) => !targets.includes(id)), []); // biome-ignore format: one line
  const outside = [...page.matchAll(/(?:href|src)="(?!#)([^"]+)"/g)].map(([, target]) => target);
  assert.deepEqual([...new Set(outside)], ['data:,', `${service.url}/`, `${service.url}/openapi.json`]);
});

test('the page is sent again only when it has changed, and allows nothing but its own style', async () => {
  const response = await fetch(`${service.url}/docs`);
  const policy = response.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'; style-src 'sha256-/);
  assert.doesNotMatch(policy, /unsafe|https?:|script-src/);
  const headers = { 'if-none-match': response.headers.get('etag') ?? '' };
  assert.equal((await fetch(`${service.url}/docs`, { headers })).status, 304);
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
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests.filter((url) => !url.startsWith('data:')), [`${service.url}/docs`]); // biome-ignore format: one line
    // As text: the page's globals are not those of the test.
    const background = await page.evaluate("getComputedStyle(document.querySelector('nav')).backgroundColor");
    assert.equal(background, 'rgb(244, 246, 249)', 'the style is applied');
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    assert.ok(overflow <= 0, `${overflow} pixels of the page stand out at a width of ${width}`);
    await page.close();
  }
});

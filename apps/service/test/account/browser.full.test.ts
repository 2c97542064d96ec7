/** The account area in a real browser, on the real service: by keyboard and labels, complete without a complaint. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN } from '../../../../test/support/account-area.ts';
import { check, open, noBrowser as skip, startBrowser } from '../../../../test/support/browser.ts';
import { startTestService, type TestService } from '../../../../test/support/service.ts';

/** Types into the field of a label, found with the tabulator key alone. */
async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, `input#${await page.getByLabel(label, { exact: true }).getAttribute('id')}`);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(text);
}

async function tabTo(page: Page, selector: string): Promise<void> {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  assert.fail(`the keyboard does not reach ${selector}`);
}

async function press(page: Page, selector: string): Promise<void> {
  await tabTo(page, selector);
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
}

async function startWithCredentials(): Promise<TestService> {
  return startTestService({ settings: { AUTH: 'required' } });
}

test('from the first link to a key that works and is revoked, by keyboard', { skip }, async () => {
  await using service = await startWithCredentials();
  const browser = await startBrowser();
  try {
    const { page, complaints, requests } = await open(browser, 1280);
    await page.goto(service.setupLink ?? '');
    await check(page, 'setup');
    await typeInto(page, 'E-mail address', ADMIN.email);
    await typeInto(page, 'New password', ADMIN.password);
    await typeInto(page, 'Repeat the new password', ADMIN.password);
    await press(page, 'main button');
    assert.equal(new URL(page.url()).pathname, '/account');
    await press(page, 'nav a[href="/account/keys"]');
    await press(page, 'a[href="/account/keys/new"]');
    await check(page, 'new-key');
    await typeInto(page, 'Name', 'a program of mine');
    await press(page, 'main button');
    const key = (await page.locator('#secret').textContent()) ?? '';
    await check(page, 'key-shown-once');
    const ask = async () => (await fetch(`${service.url}/v1/jobs`, { headers: { apiKey: key } })).status;
    assert.equal(await ask(), 200);
    await press(page, 'a.danger');
    await check(page, 'revoke');
    await press(page, 'button.danger');
    assert.match((await page.getByRole('status').textContent()) ?? '', /“a program of mine” was revoked/);
    assert.equal(await ask(), 401);
    await press(page, 'header button');
    assert.equal(new URL(page.url()).pathname, '/account/sign-in');
    await typeInto(page, 'E-mail address', ADMIN.email);
    await typeInto(page, 'Password', 'wrong wrong wrong');
    await press(page, 'main button');
    assert.match((await page.getByRole('alert').textContent()) ?? '', /Wrong e-mail address or password/);
    await typeInto(page, 'Password', ADMIN.password);
    await press(page, 'main button');
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Overview');
    // The browser tells of every answer above 399; that one was meant.
    assert.deepEqual(complaints.filter((text) => !/status of 401/.test(text)), []); // biome-ignore format: one line
    assert.deepEqual(requests.filter((url) => !url.startsWith(`${service.url}/account`)), []); // biome-ignore format: one line
  } finally {
    for (const context of browser.contexts()) await context.close();
  }
});

test('every page is accessible, wide and narrow, light and dark', { skip }, async () => {
  await using service = await startWithCredentials();
  const browser = await startBrowser();
  try {
    const first = await open(browser, 1280);
    await first.page.goto(service.setupLink ?? '');
    await first.page.getByLabel('E-mail address').fill(ADMIN.email);
    for (const label of ['New password', 'Repeat the new password'])
      await first.page.getByLabel(label, { exact: true }).fill(ADMIN.password);
    await first.page.getByRole('button', { name: 'Create the administrator' }).click();
    await first.page.waitForURL(`${service.url}/account`);
    await fill(first.page, service);
    const cookies = await first.page.context().cookies();
    for (const [width, isDark] of [
      [1280, false],
      [390, true],
    ] as const) {
      const { page, complaints } = await open(browser, width, isDark);
      await page.goto(`${service.url}/account/sign-in`);
      await check(page, 'sign-in');
      await page.context().addCookies(cookies);
      for (const name of [
        '',
        'keys',
        'keys/new',
        'clients',
        'jobs',
        'settings',
        'users',
        'users/new',
        'all-keys',
        'audit',
      ]) {
        await page.goto(`${service.url}/account/${name}`.replace(/\/$/, ''));
        await check(page, name === '' ? 'overview' : name.replace('/', '-'));
      }
      await page.goto(`${service.url}/account/jobs`);
      await page
        .locator('a[href^="/account/jobs/"]', { has: page.locator('code') })
        .first()
        .click();
      await check(page, 'job');
      await page.getByRole('link', { name: 'Delete this job' }).click();
      await check(page, 'job-delete');
      await page.goto(`${service.url}/account/users`);
      await page.getByRole('link', { name: 'bob@example.org' }).click();
      await check(page, 'user');
      await page.goto(`${service.url}/account/keys`);
      await page.getByRole('link', { name: 'nightly' }).click();
      await check(page, 'key');
      await page.getByLabel('Name', { exact: true }).fill(' ');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').waitFor();
      await check(page, 'fault');
      assert.deepEqual(complaints.filter((text) => !/status of 400/.test(text)), []); // biome-ignore format: one line
    }
  } finally {
    for (const context of browser.contexts()) await context.close();
  }
});

/** Something of everything, so that there is something to see. */
async function fill(page: Page, service: TestService): Promise<void> {
  for (const [kind, name] of [
    ['keys', 'nightly export of the harbour office'],
    ['keys', 'laptop'],
    ['clients', 'map portal'],
  ]) {
    await page.goto(`${service.url}/account/${kind}/new`);
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: /^Create/ }).click();
    await page.locator('#secret').waitFor();
    if (name !== 'laptop') continue;
    const apiKey = (await page.locator('#secret').textContent()) ?? '';
    for (const fileName of ['roads.geojson', 'a very long name of a file that somebody has.geojson']) {
      const form = new FormData();
      form.append('config', JSON.stringify({ input: { format: 'geojson' }, output: { format: 'geojson' } }));
      form.append('input_file', new Blob(['some input']), fileName);
      const headers = { apiKey, prefer: 'wait=20' };
      await (await fetch(`${service.url}/transform`, { method: 'POST', body: form, headers })).bytes();
    }
  }
  await page.goto(`${service.url}/account/users/new`);
  await page.getByLabel('E-mail address').fill('bob@example.org');
  await page.getByRole('button', { name: 'Create the user' }).click();
  await page.locator('#link').waitFor();
}

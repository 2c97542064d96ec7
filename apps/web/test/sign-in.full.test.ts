/** The workspace where credentials are required: signing in before and in mid-work, and downloads with the session. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN, setUpAdmin } from '../../../test/support/account-area.ts';
import { check, noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { TestCredentials } from '../../../test/support/credentials.ts';
import { startTestService } from '../../../test/support/service.ts';
import {
  addStep,
  NOT_SIGNED_IN,
  onWorkspace,
  type PageLook,
  showPart,
} from '../../../test/support/workspace-page.ts';
import { OneTimeLinks } from '../../service/src/pages/account/one-time-links.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');

if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null, settings: { AUTH: 'required' } });
const credentials = new TestCredentials(service.config.dataDirectory);
const { database } = credentials.accounts;
await setUpAdmin({
  url: service.url,
  link: async (link) =>
    `/account/${link.purpose}?token=${await new OneTimeLinks(database).make(link, 'test')}`,
});
after(async () => {
  await credentials[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

/** The browser reports each exchange without a session. */
const signedOut = (steps: (page: Page) => Promise<void>, look?: PageLook) =>
  onWorkspace(service.url, steps, look, NOT_SIGNED_IN);

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail address').fill(ADMIN.email);
  await page.getByLabel('Password').fill(ADMIN.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const add = (page: Page, name: string) =>
  page.getByLabel('Files to convert').setInputFiles([join(SAMPLES, name)]);
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Sign in' });
const endSessions = () => database.run('DELETE FROM "session"');

test('a visitor prepares a job, signs in and finds it again, converts, and downloads with the session', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  for (const width of [1440, 390])
    await signedOut(
      async (page) => {
        await page.getByText('Sign in to convert files here.').waitFor();
        await page.getByText(`Files go only to this server (${new URL(service.url).host}).`).waitFor();
        await page.getByText('Uploads are deleted after 24 hours, results 24 hours after').waitFor();
        await showPart(page, 'Steps');
        await addStep(page, 'buffer');
        await page.getByLabel('Distance').fill('25');
        await page.getByLabel('Units').selectOption('meters');
        await showPart(page, 'Output');
        await page.getByLabel('Format', { exact: true }).selectOption('geojson');
        await check(page, 'sign-in-start');
        await showPart(page, 'Files');
        await add(page, 'harbour.gpkg');
        await dialog(page).waitFor();
        await check(page, 'sign-in-dialog');
        await dialog(page).getByRole('link', { name: 'sign in here' }).click();
        await fillIn(page);
        await page.getByRole('link', { name: ADMIN.email }).waitFor();
        await page.getByText('This file is not in the page.').waitFor();
        assert.equal(await page.getByLabel('Distance').inputValue(), '25');
        await add(page, 'harbour.gpkg');
        await page.getByText('10 features, Point').waitFor();
        await page.keyboard.press('Control+Enter');
        const link = page.getByRole('link', { name: /^Download (?!findings)/ }).first();
        const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
        const saved = join(workspace.path, `saved-${width}.geojson`);
        await download.saveAs(saved);
        const { features } = JSON.parse(readFileSync(saved, 'utf8')) as { features: { geometry: object }[] };
        assert.equal(features.length, 10);
        await check(page, 'sign-in-result');
      },
      { width },
    );
});

test('a session that ends in mid-work is renewed in another tab, and nothing is lost', { skip }, async () => {
  await signedOut(async (page) => {
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await fillIn(page);
    await add(page, 'harbour.gpkg');
    await page.getByText('10 features, Point').waitFor();
    await endSessions();
    await page.getByLabel('Format', { exact: true }).selectOption('geojson');
    await dialog(page).waitFor();
    await dialog(page).getByRole('button', { name: 'Continue' }).click();
    await dialog(page).getByText('You are not signed in yet.').waitFor();
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      dialog(page).getByRole('link', { name: 'Sign in in a new tab' }).click(),
    ]);
    await fillIn(tab);
    await tab.getByRole('heading', { level: 1 }).waitFor();
    await tab.close();
    // The return to the tab may have continued already.
    await dialog(page)
      .getByRole('button', { name: 'Continue' })
      .click({ timeout: 2000 })
      .catch(() => {});
    await dialog(page).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Convert', exact: true }).click();
    await page.getByRole('link', { name: /^Download (?!findings)/ }).waitFor();

    await endSessions();
    await page.getByRole('link', { name: /^Download (?!findings)/ }).click();
    await dialog(page).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('You are not signed in. Sign in, then try again.').first().waitFor();
    await page.getByText('Sign in to convert files here.').waitFor();
  });
});

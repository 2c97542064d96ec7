/** The list of earlier jobs and its part of the page, when something fails. */
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { noBrowser as skip } from '../../../test/support/browser.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { startTestService, submitJob } from '../../../test/support/service.ts';
import { addFiles, BROKEN_CONNECTION, onWorkspace } from '../../../test/support/workspace-page.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
if (skip === false) await buildWorkspace();
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const openJobs = (page: Page) => page.getByRole('button', { name: 'Earlier jobs…' }).click();
const firstJob = (page: Page) => page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').first();
const loading = (part: Locator) => part.getByText('Loading…');

/** Holds up requests until the function is called. */
async function holdUp(page: Page, url: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, (route) => promise.then(() => route.continue()));
  return resolve;
}

test('jobs are listed although the browser cannot draw the map that appears in the same moment', {
  skip,
}, async () => {
  await submitJob(service);
  await onWorkspace(service.url, async (page) => {
    await page.clock.install();
    const [sendMap, sendJobs] = [
      await holdUp(page, '**/assets/live-map-*'),
      await holdUp(page, '**/assets/job-history-*'),
    ];
    await addFiles(page, join(SAMPLES, 'harbour.gpkg'));
    const map = page.getByRole('region', { name: 'Map and layers' });
    await loading(map).waitFor();
    await openJobs(page);
    const dialog = page.getByRole('dialog', { name: 'Earlier jobs' });
    await loading(dialog).waitFor();
    // No frame comes, and no timer ends, until both are there: their effects run in one go.
    await page.clock.pauseAt(Date.now() + 10_000);
    sendMap();
    await page.getByText('In words').waitFor({ state: 'attached' });
    sendJobs();
    await dialog.getByText('Asking the service…').waitFor();
    await page.clock.resume();
    await firstJob(page).waitFor();
  });
});

test('a part of the page that could not be loaded is loaded again', { skip }, async () => {
  await submitJob(service);
  const steps = async (page: Page) => {
    await page.route('**/assets/job-history-*', (route) => route.abort(), { times: 1 });
    await openJobs(page);
    const problem = page.getByRole('dialog').getByRole('alert');
    await problem.getByText('This part of the page could not be loaded.').waitFor();
    await problem.getByRole('button', { name: 'Try again' }).click();
    await firstJob(page).waitFor();
  };
  await onWorkspace(service.url, steps, {}, BROKEN_CONNECTION);
});

test('a list of jobs that could not be fetched is fetched again', { skip }, async () => {
  await submitJob(service);
  const steps = async (page: Page) => {
    const problem = { code: 'INTERNAL', detail: 'The list is broken.', status: 500 };
    await page.route(
      '**/v1/jobs?*',
      (route) => route.fulfill({ status: 500, contentType: 'application/problem+json', json: problem }),
      { times: 1 },
    );
    await openJobs(page);
    const alert = page.getByRole('dialog').getByRole('alert');
    await alert.getByText('The list is broken.').waitFor();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await firstJob(page).waitFor();
  };
  await onWorkspace(service.url, steps, {}, { complaints: /status of 500/ });
});

test('a part of the page that fails says so, and is shown again', { skip }, async () => {
  await submitJob(service);
  const steps = async (page: Page) => {
    await page.evaluate(`const { toLocaleString } = Date.prototype;
      Date.prototype.toLocaleString = function () {
        Date.prototype.toLocaleString = toLocaleString;
        throw new Error('No dates today.');
      }`);
    await openJobs(page);
    const alert = page.getByRole('dialog').getByRole('alert');
    await alert.getByText('This part of the page failed. No dates today.').waitFor();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await firstJob(page).waitFor();
  };
  await onWorkspace(service.url, steps, {}, { complaints: /No dates today/ });
});

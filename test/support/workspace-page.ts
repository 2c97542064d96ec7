/** The workspace of a service in a real browser. */
import assert from 'node:assert/strict';
import type { Page, Request } from 'playwright-core';
import { check, checkWidth, type Look, open, setLook, startBrowser, type Watched } from './browser.ts';
import { IS_EXHAUSTIVE } from './exhaustive.ts';

export interface PageLook {
  readonly width?: number;
  readonly height?: number;
  readonly isDark?: boolean;
  /** After the address of the service: "/#pipeline=…". */
  readonly path?: string;
  /** Whether the browser can draw maps: default only in exhaustive runs. */
  readonly drawsMaps?: boolean;
  /** The engine that an earlier visit chose. Default: service. */
  readonly engine?: 'local' | 'service';
}

const NARROW: PageLook = { width: 390, height: 844, isDark: true };

/** The looks in which a journey is made: both in exhaustive runs. states.full.test.ts sees every state in every look. */
export const LOOKS: readonly PageLook[] = IS_EXHAUSTIVE ? [{}, NARROW] : [{}];
/** As LOOKS, for journeys that differ most in narrow windows. */
export const NARROW_LOOKS: readonly PageLook[] = IS_EXHAUSTIVE ? [{}, NARROW] : [NARROW];

export interface Allowed {
  /** Complaints of the browser, besides those of answers that the page shows. */
  readonly complaints?: RegExp;
  /** Besides that of the service. */
  readonly origins?: readonly string[];
}

/** A connection that breaks, or a service that is away. */
export const BROKEN_CONNECTION: Allowed = { complaints: /net::ERR_/ };
export const NOT_SIGNED_IN: Allowed = { complaints: /status of 401/ };

/** The browser reports every answer above 399: dry runs of unfinished steps are 400, rejected files 422. */
const SHOWN_ANSWER = /status of 4(00|04|22)/;

type Steps = (page: Page, watched: Watched) => Promise<void>;

/** As onPage, on the workspace. */
export function onWorkspace(
  serviceUrl: string,
  steps: Steps,
  look: PageLook = {},
  allowed: Allowed = {},
): Promise<void> {
  const onSources: Steps = async (page, watched) => {
    await page.getByRole('heading', { name: 'Sources' }).waitFor();
    await steps(page, watched);
  };
  return onPage(serviceUrl, onSources, look, allowed);
}

/** As onWorkspace, for tests that look at the map. */
export function onWorkspaceWithMap(
  serviceUrl: string,
  steps: Steps,
  look: PageLook = {},
  allowed?: Allowed,
): Promise<void> {
  return onWorkspace(serviceUrl, steps, { ...look, drawsMaps: true }, allowed);
}

/** Runs `steps` on a new page; nothing may be loaded from another host, and the browser may complain of nothing. */
export async function onPage(
  serviceUrl: string,
  steps: Steps,
  {
    width = 1440,
    height = 900,
    isDark = false,
    path = '',
    drawsMaps = IS_EXHAUSTIVE,
    engine = 'service',
  }: PageLook = {},
  { complaints: allowed, origins = [] }: Allowed = {},
): Promise<void> {
  const browser = await startBrowser();
  const watched = await open(browser, width, isDark, { height, enforcesPolicy: true, drawsMaps });
  const missing: string[] = [];
  const stateOf = watchRequests(watched);
  // Documents without an origin have no storage.
  await watched.page.addInitScript(
    `if (location.protocol !== 'about:') localStorage.setItem('geomill-engine', '${engine}')`,
  );
  watched.page.on('response', (response) => {
    // What the page no longer needs may be gone already when it is deleted.
    const isData = /\/v1\/(jobs|uploads)\//.test(response.url());
    if (response.status() === 404 && !isData) missing.push(response.url());
  });
  try {
    await watched.page.goto(serviceUrl + path);
    await steps(watched.page, watched).catch(async (error: Error) => {
      // A new error: the report of the test runner has the message that an error was made with.
      const state = JSON.stringify(await stateOf(), null, 2);
      throw new Error(`${error.message}\nThe page: ${state}`, { cause: error });
    });
    const complaints = watched.complaints.filter(
      (text) => !SHOWN_ANSWER.test(text) && allowed?.test(text) !== true,
    );
    assert.deepEqual(complaints, []);
    assert.deepEqual(missing, []);
    const own = [serviceUrl, 'blob:', ...origins];
    const isForeign = (url: string) => !own.some((origin) => url.startsWith(origin));
    assert.deepEqual(watched.requests.filter(isForeign), []);
  } finally {
    await watched.page.context().close();
  }
}

/** Watches the requests of a page. Returns a function for the state of the page, for the message of a test that failed. */
function watchRequests({ page, complaints }: Watched): () => Promise<object> {
  const unanswered = new Set<Request>();
  const failed: string[] = [];
  const nameOf = (request: Request) => `${request.method()} ${request.url()}`;
  page.on('request', (request) => unanswered.add(request));
  page.on('requestfinished', (request) => unanswered.delete(request));
  page.on('requestfailed', (request) => {
    unanswered.delete(request);
    failed.push(`${nameOf(request)}: ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${nameOf(response.request())}: ${response.status()}`);
  });
  return async () => ({
    // Dialogs come first.
    text: String(await page.evaluate('document.body.innerText').catch(String)).slice(0, 3000),
    unanswered: [...unanswered].map(nameOf),
    failed,
    complaints,
  });
}

export async function addFiles(page: Page, ...paths: string[]): Promise<void> {
  await page.getByLabel('Files to convert').setInputFiles(paths);
}

/** Adds a step by the menu. */
export async function addStep(page: Page, type: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Add a step' }).click();
  await page.locator(`[role="option"][data-step="${type}"]`).click();
}

/** Opens the further parameters of a step. */
export async function openMore(page: Page, title: string): Promise<void> {
  const card = page.locator('li.card', { has: page.locator('summary strong', { hasText: title }) }).last();
  await card.locator('summary', { hasText: /^More options/ }).click();
}

/** In a narrow window, brings a part of the page to the front: Files, Steps, Output or Result. */
export async function showPart(page: Page, title: string): Promise<void> {
  const tab = page.getByRole('tab', { name: new RegExp(`^${title}`) });
  if (await tab.isVisible()) await tab.click();
}

const PHONE: Look = { width: 390, height: 844 };
/** All that colours decide. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Checks a state of the page on a desktop and a phone, light and dark, with the colours of the system, and zoomed to 200 %. It is
 * a light desktop before and after.
 */
export async function checkEverywhere(page: Page, name: string): Promise<void> {
  await check(page, name);
  await setLook(page, { isDark: true });
  await check(page, name, COLOUR_RULES);
  await setLook(page, { ...PHONE, isDark: true });
  await check(page, name);
  await setLook(page, PHONE);
  await check(page, name, COLOUR_RULES);
  await setLook(page, { width: 720, height: 450, isForced: true });
  if (IS_EXHAUSTIVE) await check(page, name);
  else await checkWidth(page, name);
  await setLook(page, {});
}

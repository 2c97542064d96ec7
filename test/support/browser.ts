/** A real browser that watches the pages it opens: requests, complaints, what axe finds. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
/** Why tests with a browser are skipped, or false. */
export const noBrowser = CHROMIUM === undefined ? 'no chromium here' : false;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Where to keep what the pages look like, for who wants to look. */
const SHOTS = process.env.SCREENSHOTS;

const QUIET = [
  ...[
    'no-sandbox',
    'use-angle=swiftshader',
    'enable-unsafe-swiftshader',
    'disable-quic',
    'no-first-run',
    'disable-background-networking',
  ],
  ...['disable-component-update', 'disable-sync'],
].map((flag) => `--${flag}`);

let launched: Promise<Browser> | null = null;
after(async () => (await launched)?.close());

/** One for all tests: to start it takes as long as to look at several pages. */
export function startBrowser(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  return launched;
}

export interface Watched {
  readonly page: Page;
  readonly complaints: string[];
  readonly requests: string[];
}

/** `enforcesPolicy`: only for pages whose policy allows scripts, because `check` runs one. */
export async function open(
  browser: Browser,
  width: number,
  isDark = false,
  { height = 900, enforcesPolicy = false } = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: isDark ? 'dark' : 'light',
    bypassCSP: !enforcesPolicy,
  });
  const page = await context.newPage();
  const [complaints, requests]: [string[], string[]] = [[], []];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  return { page, complaints, requests };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds wrong with the page as it is. */
export async function check(page: Page, name: string): Promise<void> {
  await page.evaluate(AXE);
  const found = (await page.evaluate('axe.run().then((result) => result.violations)')) as Violation[];
  const told = found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
  );
  assert.deepEqual(told, [], name);
  const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  assert.ok(overflow <= 0, `${overflow} pixels of ${name} stand out`);
  if (SHOTS !== undefined)
    await page.screenshot({ path: join(SHOTS, `${name}-${await shotKind(page)}.png`), fullPage: true });
}

/** "390-dark". */
async function shotKind(page: Page): Promise<string> {
  const isDark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
  return `${page.viewportSize()?.width}-${isDark === true ? 'dark' : 'light'}`;
}

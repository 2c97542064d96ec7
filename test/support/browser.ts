/** A real browser that watches the pages it opens: requests, complaints, what axe finds. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { IS_EXHAUSTIVE } from './exhaustive.ts';

/** The first is the same browser without windows and their pages, and takes two thirds of the CPU time. */
const CHROMIUM = ['chromium-headless-shell', 'chromium', 'chromium-browser']
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path));
/** Why tests with a browser are skipped, or false. */
export const noBrowser = CHROMIUM === undefined ? 'no chromium here' : false;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Where to keep what the pages look like, for who wants to look. */
const SHOTS = process.env.SCREENSHOTS;

/** Every frame of a movement is drawn without a graphics card: a tenth of the time of these tests. */
const MOTION = IS_EXHAUSTIVE ? 'no-preference' : 'reduce';

/** A page that is drawn by the processor reads the pixels of its map. */
const READS_BACK = /GPU stall due to ReadPixels/;

const QUIET = [
  ...[
    'no-sandbox',
    // Pages are drawn by the processor; maps by SwiftShader, which takes much longer.
    'disable-gpu-compositing',
    'use-angle=swiftshader',
    'enable-unsafe-swiftshader',
    'disable-quic',
    'no-first-run',
    'disable-background-networking',
  ],
  ...['disable-component-update', 'disable-sync'],
].map((flag) => `--${flag}`);

/** In another locale it cannot open files whose names are not ASCII. */
const ENVIRONMENT = { ...process.env, LC_ALL: 'C.UTF-8' };

let launched: Promise<Browser> | null = null;
after(async () => (await launched)?.close());

/** One for all tests: to start it takes as long as to look at several pages. */
export function startBrowser(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath: CHROMIUM, args: QUIET, env: ENVIRONMENT });
  return launched;
}

export interface Watched {
  readonly page: Page;
  readonly complaints: string[];
  readonly requests: string[];
}

/** What a browser without a graphics card and without the software for one gives: to draw maps takes half of the time of these tests. */
const WITHOUT_MAPS = `const { getContext } = HTMLCanvasElement.prototype;
HTMLCanvasElement.prototype.getContext = function (kind, ...options) {
  return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...options);
};`;

/** `enforcesPolicy`: only for pages whose policy allows scripts, because `check` runs one. */
export async function open(
  browser: Browser,
  width: number,
  isDark = false,
  { height = 900, enforcesPolicy = false, drawsMaps = true } = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: MOTION,
    colorScheme: isDark ? 'dark' : 'light',
    bypassCSP: !enforcesPolicy,
  });
  // Just below the bound of bounds.ts: only to say which step it was. Maps are drawn without a graphics card, which can take long.
  context.setDefaultTimeout(Number(process.env.PAGE_TIMEOUT_MS ?? 240_000));
  const page = await context.newPage();
  const [complaints, requests]: [string[], string[]] = [[], []];
  // The console has those of most directives only.
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy', event.violatedDirective, event.blockedURI))",
  );
  if (!drawsMaps) await page.addInitScript(WITHOUT_MAPS);
  page.on('console', (message) => {
    if (!READS_BACK.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  return { page, complaints, requests };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly isDark?: boolean;
  /** Colours of the system in place of those of the page. */
  readonly isForced?: boolean;
}

/** The same page in another window and with other colours. */
export async function setLook(
  page: Page,
  { width = 1440, height = 900, isDark = false, isForced = false }: Look,
): Promise<void> {
  await page.emulateMedia({
    colorScheme: isDark ? 'dark' : 'light',
    forcedColors: isForced ? 'active' : 'none',
    reducedMotion: isForced ? 'reduce' : MOTION,
  });
  await page.setViewportSize({ width, height });
}

/** `rules`: the only ones that are checked; undefined: all. Also that nothing is wider than the window. */
export async function check(page: Page, name: string, rules?: readonly string[]): Promise<void> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  const options = JSON.stringify(rules === undefined ? {} : { runOnly: rules });
  const found = (await page.evaluate(
    `axe.run(${options}).then((result) => result.violations)`,
  )) as Violation[];
  const told = found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
  );
  assert.deepEqual(told, [], `${name}-${await shotKind(page)}`);
  await checkWidth(page, name);
  if (SHOTS !== undefined)
    await page.screenshot({ path: join(SHOTS, `${name}-${await shotKind(page)}.png`), fullPage: true });
}

/** That the page does not scroll to the side. */
export async function checkWidth(page: Page, name: string): Promise<void> {
  const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  assert.ok(overflow <= 0, `${overflow} pixels of ${name}-${await shotKind(page)} stand out`);
}

/** "390-dark", "1440-forced". */
async function shotKind(page: Page): Promise<string> {
  const isDark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
  const isForced = await page.evaluate("matchMedia('(forced-colors: active)').matches");
  const colours = isForced === true ? 'forced' : isDark === true ? 'dark' : 'light';
  return `${page.viewportSize()?.width}-${colours}`;
}

/**
 * `npm run bench:web [-- --gigabytes 1.2]`: large files in the workspace, in Debian's Chromium with software rendering. Prints how
 * long after the end of the upload a file is in the legend of the map, what the tab holds, how long a step of the table takes, and
 * what ten previews at once cost the service. The files are generated into a temporary directory and deleted.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { buildWorkspace } from '../test/support/built-workspace.ts';
import { startServiceProcess } from './service-process.ts';

const { values } = parseArgs({ options: { gigabytes: { type: 'string', default: '1.2' } } });
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGUMENTS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
/** Corners of each polygon, and bytes of a feature with them. */
const CORNERS = 20;
const FEATURE_BYTES = 630;

/** Polygons in a square grid over Germany. */
function writePolygons(path: string, count: number): void {
  const file = openSync(path, 'w');
  const side = Math.ceil(Math.sqrt(count));
  let text = '{"type":"FeatureCollection","features":[\n';
  for (let i = 0; i < count; i++) {
    const [x, y] = [5 + ((i % side) * 10) / side, 46 + (Math.floor(i / side) * 8) / side];
    const ring = Array.from({ length: CORNERS + 1 }, (_, corner) => {
      const angle = ((corner % CORNERS) * 2 * Math.PI) / CORNERS;
      return `[${(x + (4 / side) * Math.cos(angle)).toFixed(7)},${(y + (3 / side) * Math.sin(angle)).toFixed(7)}]`;
    });
    const between = i === 0 ? '' : ',\n';
    text += `${between}{"type":"Feature","properties":{"n":${i},"kind":"k${i % 7}"},"geometry":{"type":"Polygon","coordinates":[[${ring}]]}}`;
    if (text.length < 1 << 20) continue;
    writeSync(file, text);
    text = '';
  }
  writeSync(file, `${text}\n]}`);
  closeSync(file);
}

/** 150 points with 24 fields. */
function writeTable(path: string): void {
  const features = Array.from({ length: 150 }, (_, row) => ({
    type: 'Feature',
    properties: Object.fromEntries(
      Array.from({ length: 24 }, (_, field) => [`field ${field}`, `${(row * 7919 + field * 104729) % 9973}`]),
    ),
    geometry: { type: 'Point', coordinates: [5 + row / 20, 50] },
  }));
  const file = openSync(path, 'w');
  writeSync(file, JSON.stringify({ type: 'FeatureCollection', features }));
  closeSync(file);
}

interface Shown {
  readonly page: Page;
  readonly uploadSeconds: number;
  readonly shownSeconds: number;
  readonly heapMegabytes: number;
}

async function show(browser: Browser, url: string, path: string): Promise<Shown> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript("localStorage.setItem('geomill-engine', 'service')");
  await page.goto(url);
  let uploadedAt = 0;
  page.on('response', (response) => {
    if (response.request().method() === 'PATCH') uploadedAt = performance.now();
  });
  const input = page.getByLabel('Files to convert');
  await input.waitFor({ state: 'attached' });
  const begun = performance.now();
  await input.setInputFiles(path);
  const legend = page.getByRole('list', { name: 'Layers of the map' });
  await legend.getByRole('checkbox').first().waitFor({ timeout: 900_000 });
  const shownSeconds = (performance.now() - uploadedAt) / 1000;
  const tools = await page.context().newCDPSession(page);
  const { usedSize } = (await tools.send('Runtime.getHeapUsage')) as { readonly usedSize: number };
  const uploadSeconds = (uploadedAt - begun) / 1000;
  return { page, uploadSeconds, shownSeconds, heapMegabytes: usedSize / 1e6 };
}

/** Longest time in ms of a scroll step and of a sort, up to the second frame after it. */
async function tableSteps(page: Page): Promise<{ readonly scroll: number; readonly sort: number }> {
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  await page.getByRole('grid').waitFor();
  const longest = (steps: string) =>
    page.evaluate(`(async () => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const scroller = document.querySelector('.grid-scroller');
      let longest = 0;
      const step = async (act) => {
        await frame();
        const begun = performance.now();
        act();
        await new Promise((resolve) => setTimeout(resolve));
        void scroller.offsetHeight;
        longest = Math.max(longest, performance.now() - begun);
      };
      ${steps}
      return longest;
    })()`) as Promise<number>;
  const scroll = await longest('for (let i = 0; i < 40; i++) await step(() => scroller.scrollBy(40, 100));');
  const sort = await longest(
    "for (let i = 0; i < 4; i++) await step(() => document.querySelector('[role=columnheader] button, [role=columnheader]').click());",
  );
  return { scroll, sort };
}

/** Ten previews of an upload at once: seconds until the last has ended, and the largest memory of the service's own process. */
async function previewsAtOnce(url: string, pid: number): Promise<string> {
  const { uploads } = (await (await fetch(`${url}/v1/uploads`)).json()) as {
    readonly uploads: readonly { readonly id: string; readonly byte_length: number }[];
  };
  const { id } = [...uploads].sort((a, b) => b.byte_length - a.byte_length)[0];
  const { GeomillClient } = await import('../packages/client/src/client.ts');
  const client = new GeomillClient({ baseUrl: url });
  const file = await client.uploaded(id);
  const { readFileSync } = await import('node:fs');
  const rss = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  let [largest, latest] = [0, 0];
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      const begun = performance.now();
      await (await fetch(`${url}/healthz`)).text();
      latest = Math.max(latest, performance.now() - begun);
      largest = Math.max(largest, rss());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const begun = performance.now();
  const config = {
    input: { format: 'geojson' },
    transformations: [{ type: 'sample', params: { count: 20_000 } }],
    output: { format: 'geojson' },
  };
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      const job = await client.submit({ input: file, config: config as never }, { idempotencyKey: null });
      await (await job.result()).json();
      await job.delete();
    }),
  );
  isDone = true;
  await watching;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  return `10 previews at once: ${seconds} s, service at most ${largest.toFixed(0)} MiB, latest /healthz ${latest.toFixed(0)} ms`;
}

const directory = mkdtempSync(join(tmpdir(), 'geomill-bench-web-'));
await buildWorkspace();
const settings = { RATE_LIMIT: '0' };
const service = await startServiceProcess(join(directory, 'data'), settings);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
try {
  const sizes: readonly (readonly [string, number])[] = [
    ['18,000 polygons', 18_000],
    [`${values.gigabytes} GB`, Math.round((Number(values.gigabytes) * 1e9) / FEATURE_BYTES)],
  ];
  for (const [name, count] of sizes) {
    const path = join(directory, `${count}.geojson`);
    writePolygons(path, count);
    const { page, uploadSeconds, shownSeconds, heapMegabytes } = await show(browser, service.url, path);
    console.log(
      `${name}: upload ${uploadSeconds.toFixed(1)} s, in the legend ${shownSeconds.toFixed(1)} s after it, heap ${heapMegabytes.toFixed(0)} MB`,
    );
    await page.close();
    rmSync(path);
  }
  console.log(await previewsAtOnce(service.url, service.process.pid ?? 0));
  const table = join(directory, 'table.geojson');
  writeTable(table);
  const { page } = await show(browser, service.url, table);
  const { scroll, sort } = await tableSteps(page);
  console.log(
    `150 rows x 24 fields: scroll step at most ${scroll.toFixed(0)} ms, sort at most ${sort.toFixed(0)} ms`,
  );
} finally {
  await browser.close();
  service.process.kill('SIGTERM');
  rmSync(directory, { recursive: true, force: true });
}

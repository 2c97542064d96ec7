/**
 * Takes the pictures of the workspace in docs/images: countries of Natural Earth (public domain), clipped to Europe, simplified and
 * projected. Run it after a change of the page: `npm run docs:pictures`. It needs Debian's chromium.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { startService } from '../apps/service/src/service.ts';
import { readConfig } from '../apps/service/src/settings/config.ts';
import { cut } from './base-map.ts';
import { buildWeb } from './build-web.ts';

const ROOT = join(import.meta.dirname, '..');
const MAX_BYTES = 200_000;
const EUROPE = [
  [-11, 35],
  [32, 35],
  [32, 71.5],
  [-11, 71.5],
  [-11, 35],
];
const PIPELINE = {
  steps: [
    { type: 'clip', params: { clipping_geojson: { type: 'Polygon', coordinates: [EUROPE] } } },
    { type: 'simplify', params: { tolerance: 10, units: 'kilometers' } },
  ],
  outputs: [{ path: 'europe.gpkg', epsg: 3035 }],
};

function countries(): string {
  const file = join(ROOT, 'node_modules', 'world-atlas', 'countries-50m.json');
  const world = JSON.parse(readFileSync(file, 'utf8')) as Topology<Record<'countries', GeometryCollection>>;
  const { features } = feature(world, world.objects.countries);
  return JSON.stringify({
    type: 'FeatureCollection',
    features: features.map(({ geometry, properties }) => {
      const polygons =
        geometry.type === 'MultiPolygon'
          ? geometry.coordinates
          : geometry.type === 'Polygon'
            ? [geometry.coordinates]
            : [];
      return {
        type: 'Feature',
        properties,
        geometry: { type: 'MultiPolygon', coordinates: polygons.flatMap(cut) },
      };
    }),
  });
}

/** WebP has half the bytes of PNG; the browser can write it. */
async function keep(page: Page, name: string): Promise<void> {
  const png = await page.screenshot({ animations: 'disabled' });
  const converter = await browser.newPage();
  const url = (await converter.evaluate(`(async () => {
    const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob());
    const canvas = Object.assign(document.createElement('canvas'), { width: picture.width, height: picture.height });
    canvas.getContext('2d').drawImage(picture, 0, 0);
    return canvas.toDataURL('image/webp', 0.85);
  })()`)) as string;
  await converter.close();
  const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  assert.ok(bytes.length < MAX_BYTES, `${name} has ${bytes.length} bytes`);
  writeFileSync(join(ROOT, 'docs', 'images', name), bytes);
}

const directory = mkdtempSync(join(tmpdir(), 'geomill-pictures-'));
await buildWeb(ROOT);
const service = await startService(
  readConfig({ PORT: '0', DATA_DIR: join(directory, 'data'), LOG_LEVEL: 'silent', SHUTDOWN_GRACE: '0' }),
);
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
try {
  const file = join(directory, 'countries.geojson');
  writeFileSync(file, countries());
  const link = `${service.url}/#pipeline=${Buffer.from(JSON.stringify(PIPELINE)).toString('base64url')}`;
  for (const [width, height, colorScheme] of [
    [1280, 800, 'light'],
    [390, 844, 'dark'],
  ] as const) {
    const isPhone = width < 500;
    const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
    await page.goto(link);
    await page.getByLabel('Files to convert').setInputFiles(file);
    await page.getByText('241 features').waitFor();
    const layers = page.getByRole('list', { name: 'Layers of the map' });
    await layers.getByRole('checkbox', { name: 'countries.geojson' }).waitFor();
    if (!isPhone) {
      await page.getByText('What this output will lose').waitFor();
      await page.waitForLoadState('networkidle');
    }
    await page.keyboard.press('Control+Enter');
    await page.getByRole('link', { name: /^Download countries/ }).waitFor();
    await layers.getByRole('checkbox').nth(1).waitFor();
    if (isPhone) await page.getByRole('button', { name: 'Lower the panel' }).click();
    await layers
      .getByRole('checkbox', { name: /findings$/ })
      .first()
      .uncheck();
    await layers.getByRole('button', { name: /^Zoom to .*converted/ }).click();
    await page.getByRole('heading', { name: 'geomill' }).hover();
    // The map draws after its worker has answered.
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(5000);
    await keep(page, isPhone ? 'workspace-phone.webp' : 'workspace.webp');
    if (!isPhone) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('3035');
      await page.getByRole('option', { name: /EPSG:3035/ }).waitFor();
      await keep(page, 'workspace-palette.webp');
    }
    await page.close();
  }
} finally {
  await browser.close();
  await service.stop();
  rmSync(directory, { recursive: true, force: true });
}

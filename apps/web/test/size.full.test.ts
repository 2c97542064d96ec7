/** How much a browser loads before the workspace can be used, and before it shows a map; gzip. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { baseMap } from '../../../scripts/base-map.ts';
import { buildWorkspace } from '../../../test/support/built-workspace.ts';
import { startTestService } from '../../../test/support/service.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FILES = join(ROOT, 'dist', 'web');
const [FIRST_LIMIT, MAP_LIMIT] = [64_000, 500_000];

await buildWorkspace();
const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const manifest = JSON.parse(readFileSync(join(FILES, 'manifest.json'), 'utf8')) as {
  readonly script: string;
  readonly files: readonly string[];
};

function built(start: string): string {
  const found = manifest.files.filter((name) => name.startsWith(`${start}-`));
  assert.equal(found.length, 1, `files of the build that start with ${start}: ${found}`);
  return found[0];
}

const contentOf = (name: string): Buffer => brotliDecompressSync(readFileSync(join(FILES, `${name}.br`)));

/** The file and all that it imports at once. */
function withImports(name: string, all = new Set<string>()): Set<string> {
  if (all.has(name)) return all;
  all.add(name);
  const code = contentOf(name).toString();
  for (const [, imported] of code.matchAll(/(?:\bfrom|\bimport)\s*["'`]\.\/([\w-]+\.js)["'`]/g))
    withImports(imported, all);
  return all;
}

const gzippedBytes = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + gzipSync(contentOf(name), { level: 9 }).length, 0);

test('the page is at most 64 kB without the map and 500 kB with it', async (t) => {
  const html = await (await fetch(service.url, { headers: { accept: 'text/html' } })).text();
  const linked = [...html.matchAll(/(?:href|src)="([^"]+\.(?:css|js))"/g)].map(([, path]) => path);
  const assets = linked.flatMap((path) => /\/assets\/(.+)/.exec(path)?.[1] ?? []);
  assert.ok(assets.includes(manifest.script));
  let first = gzipSync(html).length + gzippedBytes(assets.filter((name) => !name.endsWith('.js')));
  for (const path of linked.filter((one) => !one.includes('/assets/')))
    first += gzipSync(await (await fetch(new URL(path, service.url))).text()).length;
  const scripts = new Set(
    assets.filter((name) => name.endsWith('.js')).flatMap((name) => [...withImports(name)]),
  );
  first += gzippedBytes(scripts);

  const map = new Set([...withImports(built('live-map')), ...withImports(built('map-worker'))]);
  const withMap =
    first + gzippedBytes([...map].filter((name) => !scripts.has(name))) + gzippedBytes([built('base-map')]);
  t.diagnostic(`${first} bytes without the map, ${withMap} with it`);
  assert.ok(first <= FIRST_LIMIT, `${first} bytes without the map`);
  assert.ok(withMap <= MAP_LIMIT, `${withMap} bytes with the map`);
});

test('the base maps stay within the map, and no edge goes around it', () => {
  for (const scale of ['110m', '50m'] as const) {
    const { features } = baseMap(ROOT, scale) as {
      readonly features: readonly {
        readonly properties: { readonly kind: string };
        readonly geometry: { readonly type: string; readonly coordinates: never };
      }[];
    };
    assert.deepEqual(
      features.map(({ properties }) => properties.kind),
      ['land', 'borders', 'lakes'],
    );
    const lines = features.map(({ geometry }): [number, number][][] =>
      geometry.type === 'MultiPolygon'
        ? (geometry.coordinates as [number, number][][][]).flat()
        : geometry.coordinates,
    );
    assert.ok(lines[0].length > 100 && lines[1].length > 100 && lines[2].length > 20);
    for (const line of lines.flat())
      for (const [i, [x, y]] of line.entries()) {
        assert.ok(Math.abs(x) <= 180 && Math.abs(y) <= 85, `${scale}: ${x} ${y}`);
        // Antarctica is closed along the edge of the map.
        if (i > 0 && Math.abs(y) < 85)
          assert.ok(Math.abs(x - line[i - 1][0]) < 180, `${scale}: ${line[i - 1]} to ${x} ${y}`);
      }
  }
});

/** The library in a page of Chromium against the library in Node.js. */
import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import test, { after } from 'node:test';
import type { Page } from 'playwright-core';
import { PMTiles, type RangeResponse } from 'pmtiles';
import { bundleBrowser } from '../../../scripts/bundle-browser.ts';
import { damagedCopies } from '../../../test/broken/damage.ts';
import { noBrowser as skip, startBrowser } from '../../../test/support/browser.ts';
import { IS_EXHAUSTIVE } from '../../../test/support/exhaustive.ts';
import { allFixtures, crsFor } from '../../../test/support/fixtures.ts';
import { convert, crs, formats, inspect, read } from '../src/library.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SAMPLES = join(ROOT, 'samples');
const samples = readdirSync(SAMPLES).filter(
  (name) => name.startsWith('harbour.') && !name.endsWith('.pmtiles'),
);
const outputs = formats.filter(({ output }) => output).map(({ id }) => id);
/** The reports and the outputs that state a time are compared. */
const TIME = '2026-01-02T03:04:05.000Z';
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

const directory = mkdtempSync(join(tmpdir(), 'geomill-browser-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let built: Promise<void> | null = null;

interface Opened extends AsyncDisposable {
  readonly page: Page;
  /** Paths of the requests so far, with their methods. */
  readonly requests: string[];
}

/** An empty page of a server with nothing but the files of the library and the samples. */
async function openPage(): Promise<Opened> {
  built ??= bundleBrowser(ROOT, directory);
  await built;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    requests.push(`${request.method} ${path}`);
    const scripts = "script-src 'self' 'wasm-unsafe-eval'";
    response.setHeader('content-security-policy', `default-src 'none'; connect-src 'self'; worker-src 'self'; ${scripts}`); // biome-ignore format: one line
    if (path === '/') return response.setHeader('content-type', 'text/html').end('<!doctype html>');
    const file = join(path.startsWith('/samples/') ? SAMPLES : directory, basename(path));
    response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
    createReadStream(file)
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  }).listen(0);
  const context = await (await startBrowser()).newContext();
  const page = await context.newPage();
  // Secure, so that the page has the file system of the origin.
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
  return {
    ...{ page, requests },
    async [Symbol.asyncDispose]() {
      await context.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The body of an async function in the page, with the library as `g` and `sample` as a function that gives a File. */
function inPage<Result>(page: Page, body: string): Promise<Result> {
  const whole = `(async () => {
    const g = await import('/geomill.js');
    const sample = async (name) => new File([await (await fetch('/samples/' + name)).blob()], name);
    const base64 = async (file) => (await file.bytes()).toBase64();
    ${body}
  })()`;
  return page.evaluate(whole) as Promise<Result>;
}

const epsgOf = (name: string): { epsg?: number } => (/\.(?:csv|xlsx)$/.test(name) ? { epsg: 25832 } : {});

interface Files {
  readonly files: Record<string, string>;
  readonly report: unknown;
  readonly error?: string;
}

/** Bytes that other versions of zlib and Zstandard pack in another way. */
function isPacked(bytes: Uint8Array): boolean {
  return /^(?:PK|PAR1|PMTiles)/.test(Buffer.from(bytes.subarray(0, 8)).toString('latin1'));
}

/** A database states the version of SQLite that wrote it (fileformat2.html 1.3.19): that of Node.js is another one. */
function ofAnySqlite(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.toString('latin1', 0, 15) === 'SQLite format 3') copy.writeUInt32BE(0, 96);
  return copy;
}

/** What is in a packed file: the same features, or the same tiles. */
async function contentOf(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
  if (name.endsWith('.pmtiles')) return tilesOf(bytes);
  const found: unknown[] = [];
  for await (const feature of read({ data: bytes, name, ...epsgOf(name) })) found.push(feature);
  return found;
}

async function tilesOf(bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const archive = new PMTiles({
    getKey: () => 'a',
    getBytes: async (offset: number, length: number): Promise<RangeResponse> => ({
      data: bytes.slice(offset, offset + length).buffer,
    }),
  });
  const { minZoom, maxZoom } = await archive.getHeader();
  const tiles: Record<string, string> = {};
  for (let z = minZoom; z <= Math.min(maxZoom, 8); z++)
    for (let x = 0; x < 2 ** z; x++)
      for (let y = 0; y < 2 ** z; y++) {
        const tile = await archive.getZxy(z, x, y);
        if (tile !== undefined) tiles[`${z}/${x}/${y}`] = Buffer.from(tile.data).toString('base64');
      }
  return { tiles, metadata: await archive.getMetadata() };
}

/** Every reader and every writer once, and all pairs in exhaustive runs. */
const outputsOf = (name: string): readonly string[] =>
  IS_EXHAUSTIVE || name === 'harbour.gpkg' ? outputs : ['geojson'];

for (const name of samples)
  test(`${name} gives the files of Node.js`, { skip }, async () => {
    const wanted = outputsOf(name);
    await using opened = await openPage();
    const found = await inPage<Record<string, Files>>(
      opened.page,
      `const input = { data: await sample('${name}'), ...${JSON.stringify(epsgOf(name))} };
       const all = {};
       const converter = g.createConverter();
       for (const format of ${JSON.stringify(wanted)}) {
         const { files, report } = await converter.convert({ input, output: { format } }, { time: new Date('${TIME}') });
         all[format] = { report, files: Object.fromEntries(await Promise.all(files.map(async (file) => [file.name, await base64(file)]))) };
       }
       await converter.close();
       return all;`,
    );
    const content = new File([readFileSync(join(SAMPLES, name))], name);
    for (const format of wanted) {
      const job = { input: { data: content, ...epsgOf(name) }, output: { format } } as Parameters<
        typeof convert
      >[0];
      const { files, report } = await convert(job, { time: new Date(TIME), threads: 1 });
      const { timings, ...facts } = report as unknown as Record<string, unknown>;
      const { timings: _, ...foundFacts } = found[format].report as Record<string, unknown>;
      assert.deepEqual(
        Object.keys(found[format].files),
        files.map((file) => file.name),
        format,
      );
      for (const file of files) {
        const expected = await file.bytes();
        const bytes = new Uint8Array(Buffer.from(found[format].files[file.name], 'base64'));
        if (!isPacked(expected))
          assert.ok(ofAnySqlite(bytes).equals(ofAnySqlite(expected)), `${format}: other bytes`);
        else
          assert.deepEqual(await contentOf(file.name, bytes), await contentOf(file.name, expected), format);
      }
      if (!files.some((file) => /\.(?:zip|xlsx|parquet|pmtiles)$/.test(file.name)))
        assert.deepEqual(withoutTimes(foundFacts), withoutTimes(facts), format);
    }
  });

/** A report without what differs from run to run. */
function withoutTimes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, item) => (key === 'seconds' ? undefined : item)));
}

test('the other functions give what they give in Node.js', { skip }, async () => {
  await using opened = await openPage();
  const found = await inPage<Record<string, unknown>>(
    opened.page,
    `const gpkg = await sample('harbour.gpkg');
     const features = [];
     let reports = 0;
     for await (const feature of g.read(gpkg, { onReport: () => reports++ })) features.push(feature);
     let rows = 0;
     for await (const { rowCount } of g.read(gpkg, { as: 'columns' })) rows += rowCount;
     const written = await g.write('a.csv', features.slice(0, 2), { format: 'csv' });
     const steps = [{ type: 'buffer', params: { distance: 5, units: 'meters' } }, { type: 'dissolve', params: {} }];
     const buffered = await g.convert({ input: gpkg, steps, output: { format: 'geojson' } });
     const merged = await g.merge({ inputs: [gpkg, await sample('harbour.kml')], output: { format: 'geojson' } });
     const text = async ({ files }) => new TextDecoder().decode(await files[0].bytes());
     async function* bytes() { yield new TextEncoder().encode('x,y\\n1,'); yield new TextEncoder().encode('2\\n'); }
     const streamed = await g.convert({ input: { data: bytes(), name: 'a.csv', epsg: 4326 }, output: { format: 'geojson' } });
     return { features, reports, rows, inspection: await g.inspect(gpkg), crs: await g.crs('25832', { limit: 3 }),
       written: [written.files[0].name, await text(written)], buffered: await text(buffered), merged: await text(merged),
       streamed: await text(streamed), formats: g.formats, steps: g.steps.map(({ id }) => id) };`,
  );
  const gpkg = join(SAMPLES, 'harbour.gpkg');
  const expected: unknown[] = [];
  for await (const feature of read(gpkg)) expected.push(feature);
  const text = async (job: object): Promise<string> => Buffer.from(await (await convert(job as Parameters<typeof convert>[0])).files[0].bytes()).toString(); // biome-ignore format: one line
  const steps = [
    { type: 'buffer', params: { distance: 5, units: 'meters' } },
    { type: 'dissolve', params: {} },
  ];
  assert.deepEqual(found.features, expected);
  assert.deepEqual([found.reports, found.rows], [1, expected.length]);
  assert.deepEqual(found.inspection, JSON.parse(JSON.stringify(await inspect(gpkg))));
  assert.deepEqual(found.crs, JSON.parse(JSON.stringify(crs('25832', { limit: 3 }))));
  assert.equal(found.buffered, await text({ input: gpkg, steps, output: { format: 'geojson' } }));
  assert.equal((JSON.parse(found.merged as string) as { features: unknown[] }).features.length, 20);
  const two = { data: expected.slice(0, 2) };
  assert.deepEqual(found.written, [
    'a.csv',
    await text({ input: two, output: { format: 'csv', name: 'a.csv' } }),
  ]);
  assert.match(found.streamed as string, /"coordinates":\[1,2\]/);
  assert.deepEqual(found.formats, JSON.parse(JSON.stringify(formats)));
});

test('nothing is sent, and nothing stays', { skip }, async () => {
  await using opened = await openPage();
  const left = await inPage<{ names: string[]; error: string }>(
    opened.page,
    `const input = new File([JSON.stringify({ type: 'Feature', properties: { secret: 'x' }, geometry: null })], 'secret.geojson');
     await g.convert({ input, output: { format: 'gpkg' } });
     const stop = new AbortController();
     const call = g.convert({ input, output: { format: 'gpkg' } }, { signal: stop.signal, onProgress: () => stop.abort() });
     const error = await call.then(() => 'none', ({ code }) => code);
     await g.convert({ input, output: { format: 'csv' } });
     const names = [];
     for await (const name of (await (await navigator.storage.getDirectory()).getDirectoryHandle('geomill')).keys()) names.push(name);
     return { names, error };`,
  );
  assert.equal(left.error, 'CANCELLED');
  assert.deepEqual(
    left.names,
    [],
    'the last worker gave the disk back, also that of the one that was stopped',
  );
  const others = opened.requests.filter((request) => !/^GET \/[\w.-]*$/.test(request));
  assert.deepEqual(others, []);
  const known = new Set(readdirSync(directory));
  assert.deepEqual(opened.requests.filter((request) => request !== 'GET /' && !known.has(request.slice(5)) && request !== 'GET /favicon.ico'), []); // biome-ignore format: one line
});

test('a large input is converted in the worker alone, with the bytes of Node.js', { skip }, async () => {
  await using opened = await openPage();
  const make = `const lines = Array.from({ length: 60_000 }, (_, i) => JSON.stringify({ type: 'Feature', properties: { n: i, name: 'Straße ' + i, text: 'x'.repeat(200) }, geometry: { type: 'Point', coordinates: [(i % 360) - 180, (i % 170) - 85] } }));
    const text = '{"type":"FeatureCollection","features":[' + lines.join(',') + ']}';`;
  const found = await inPage<{ size: number; bytes: string }>(
    opened.page,
    `${make}
     const { files } = await g.convert({ input: new File([text], 'a.geojson'), output: { format: 'flatgeobuf' } });
     return { size: text.length, bytes: await base64(files[0]) };`,
  );
  assert.ok(found.size > 15e6);
  const text = new Function(`${make} return text;`)() as string;
  const { files } = await convert({ input: { data: new File([text], 'a.geojson') }, output: { format: 'flatgeobuf' } }); // biome-ignore format: one line
  assert.ok(Buffer.from(found.bytes, 'base64').equals(await files[0].bytes()), 'other bytes');
});

test('damaged files end in a message, and the next call works', { skip }, async () => {
  await using opened = await openPage();
  const found = await inPage<{ name: string; cut: number; code: string; message: string }[]>(
    opened.page,
    `const found = [];
     const converter = g.createConverter();
     for (const name of ${JSON.stringify(samples)}) {
       const whole = new Uint8Array(await (await sample(name)).arrayBuffer());
       for (const cut of [0, 1, 20, whole.length >> 1, whole.length - 1]) {
         const options = { ...(/csv|xlsx/.test(name) ? { epsg: 25832 } : {}) };
         const data = new File([whole.subarray(0, cut)], name);
         await converter.convert({ input: { data, ...options }, output: { format: 'csv' } }).catch(({ code, message }) => found.push({ name, cut, code, message }));
       }
       const twisted = whole.map((byte, i) => (i % 97 === 50 ? byte ^ 255 : byte));
       await converter.convert({ input: { data: new File([twisted], name), ...(/csv|xlsx/.test(name) ? { epsg: 25832 } : {}) }, output: { format: 'csv' } }).catch(({ code, message }) => found.push({ name, cut: -1, code, message }));
     }
     const { files } = await converter.convert({ input: await sample('harbour.gpkg'), output: { format: 'csv' } });
     found.push({ name: 'last', cut: 0, code: files[0].name, message: '' });
     await converter.close();
     return found;`,
  );
  assert.equal(found.at(-1)?.code, 'harbour.csv');
  assert.ok(found.length > 20);
  assert.deepEqual(
    found.filter(({ code, message }) => code === 'INTERNAL' || code === undefined || message.length > 2000),
    [],
  );
});

test('the first load is small', { skip }, async () => {
  await built;
  const size = (name: string): number => statSync(join(directory, name)).size;
  assert.ok(size('geomill.js') < 150_000, `${size('geomill.js')} bytes`);
  const total = readdirSync(directory).reduce((sum, name) => sum + size(name), 0);
  assert.ok(total < 14e6, `${total} bytes in all`);
});

test('damaged files of all formats end in a result or a message, in one page', {
  skip,
  timeout: 600_000,
}, async () => {
  // 40 of them, unless the run is exhaustive.
  const copies = allFixtures().flatMap((fixture) => {
    const [cuts, flips] = IS_EXHAUSTIVE ? [40, 200] : [1, 2];
    const all = [...damagedCopies(readFileSync(fixture.path), cuts, flips)];
    return all.map(({ bytes }) => ({ fixture, bytes }));
  });
  const step = IS_EXHAUSTIVE ? 1 : Math.max(1, Math.floor(copies.length / 40));
  const chosen = copies.filter((_, i) => i % step === 0);
  await using opened = await openPage();
  await inPage(opened.page, 'globalThis.converter = g.createConverter();');
  for (const [i, { fixture, bytes }] of chosen.entries()) {
    const crs = crsFor(fixture);
    const input = { name: fixture.name, format: fixture.format, ...(crs === null ? {} : { crs }) };
    const code = await inPage<string>(
      opened.page,
      `const data = Uint8Array.fromBase64('${Buffer.from(bytes).toString('base64')}');
      const job = { input: { ...${JSON.stringify(input)}, data }, output: { format: '${outputs[i % outputs.length]}' } };
      return globalThis.converter.convert(job).then(() => 'done', (error) => error.code + ' ' + error.message);`,
    );
    assert.doesNotMatch(code, /^(?:INTERNAL|undefined)/, `${fixture.format} ${fixture.name}`);
  }
  assert.ok(chosen.length >= 40, `${chosen.length} files`);
});

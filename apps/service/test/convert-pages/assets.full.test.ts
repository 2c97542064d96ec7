/** The files of the workspace: compression, caching, and the policies of the page and its worker. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import test from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildWorkspace } from '../../../../test/support/built-workspace.ts';
import { startTestService } from '../../../../test/support/service.ts';

await buildWorkspace();

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Without the decompression of fetch. */
function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function scriptPath(url: string): Promise<string> {
  const page = await get(`${url}/`, { accept: 'text/html' });
  const path = /<script type="module" src="([^"]+)"/.exec(page.body.toString())?.[1];
  assert.ok(path !== undefined);
  return path;
}

test('files are sent in the best coding that the browser takes, and revalidated by tag', async () => {
  await using service = await startTestService();
  const address = service.url + (await scriptPath(service.url));
  const plain = await get(address);
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.match(String(plain.headers['cache-control']), /immutable/);
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync } as const;
  const rows: readonly [string, keyof typeof unpack | undefined][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.0, gzip;q=0', undefined],
    ['identity', undefined],
  ];
  for (const [accepted, coding] of rows) {
    const got = await get(address, { 'accept-encoding': accepted });
    assert.equal(got.headers['content-encoding'], coding, accepted);
    assert.match(String(got.headers.vary), /accept-encoding/i);
    const body = coding === undefined ? got.body : unpack[coding](got.body);
    assert.deepEqual(body, plain.body, accepted);
  }
  const again = await get(address, { 'if-none-match': String(plain.headers.etag) });
  assert.deepEqual([again.status, again.body.length], [304, 0]);
});

test('the host of map tiles is in the policies only if the operator sets it', async () => {
  for (const [MAP_TILES_URL, host] of [
    ['', ''],
    ['https://tiles.example.org:8443/a;b,c/{z}/{x}/{y}.png?key=1', ' https://tiles.example.org:8443'],
  ]) {
    await using service = await startTestService({ settings: { MAP_TILES_URL } });
    const page = await get(`${service.url}/`, { accept: 'text/html' });
    const policy = String(page.headers['content-security-policy']);
    assert.ok(
      policy.includes(`; img-src 'self' data: blob:${host}; connect-src 'self'${host}; form-action`),
      policy,
    );
    const script = await get(service.url + (await scriptPath(service.url)));
    assert.equal(
      script.headers['content-security-policy'],
      `default-src 'none'; script-src 'self'; connect-src 'self'${host}`,
    );
  }
});

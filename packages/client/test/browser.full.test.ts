/** The client as it is built, in a browser, on a page of another origin than the service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { noBrowser as skip, startBrowser } from '../../../test/support/browser.ts';
import { startTestService } from '../../../test/support/service.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What the page does; `results` is what it tells. */
const PROGRAM = `
  import { GeomillClient, GeomillProblem } from './client/client.js';
  const client = new GeomillClient({ baseUrl: new URLSearchParams(location.search).get('service') });
  const point = { type: 'Feature', properties: { a: 1 }, geometry: { type: 'Point', coordinates: [7, 50] } };
  const file = new File([JSON.stringify(point)], 'roads.geojson');
  const stages = [];
  const job = await client.submit({ input: file, config: { input: { format: 'geojson' }, output: { format: 'csv' } } });
  await job.wait({ onProgress: ({ stage }) => stages.push(stage) });
  const output = await job.download();
  const direct = await client.transform('geojson', { input: point, config: { output_format: 'shp' } });
  const problem = await client.job('nonsense').status().catch((error) => error);
  const listed = [];
  for await (const { job_id } of client.jobs()) listed.push(job_id);
  document.title = JSON.stringify({
    stage: stages.at(-1),
    fileName: output.fileName,
    size: (await output.blob()).size === output.byteLength,
    text: await output.text(),
    direct: [direct.fileName, (await direct.blob()).type, direct.jobId === listed[0]],
    problem: [problem instanceof GeomillProblem, problem.status, problem.code],
    listed: listed.length,
  });
`;

test('a web page converts files', { skip }, async (t) => {
  const dist = mkdtempSync(join(tmpdir(), 'geomill-browser-'));
  t.after(() => rmSync(dist, { recursive: true }));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'lib', 'tsc.js');
  const build = [tsc, '-p', join(ROOT, 'tsconfig.client.json'), '--outDir', join(dist, 'client')];
  await promisify(execFile)(process.execPath, build);

  const site = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://site');
    const isModule = pathname.startsWith('/client/');
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html');
    response.end(isModule ? readFileSync(join(dist, pathname)) : `<script type="module">${PROGRAM}</script>`);
  });
  site.listen(0, '127.0.0.1');
  t.after(() => site.close().closeAllConnections());
  await once(site, 'listening');
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  await using service = await startTestService({ runner: null, settings: { CORS_ORIGINS: origin } });

  const browser = await startBrowser();
  const page = await browser.newPage();
  const failed = new Promise<never>((_, reject) => page.once('pageerror', reject));
  await page.goto(`${origin}/?service=${encodeURIComponent(service.url)}`);
  await Promise.race([failed, page.waitForFunction('document.title.startsWith("{")')]);
  assert.deepEqual(JSON.parse(await page.title()), {
    stage: 'ended',
    fileName: 'roads.csv',
    size: true,
    text: 'a,geom_wkt\n1,POINT (7 50)\n',
    direct: ['output.zip', 'application/zip', true],
    problem: [true, 404, 'JOB_UNKNOWN'],
    listed: 2,
  });
});

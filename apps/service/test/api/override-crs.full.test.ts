/** A file with a wrong CRS is read in that of the request if the request says so. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import {
  type FeatureCollection,
  GeomillClient,
  GeomillProblem,
  JobFailed,
} from '../../../../packages/client/src/client.ts';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { writeRawShapefile } from '../../../../test/support/raw-shapefile.ts';
import { runCli } from '../../../../test/support/run-cli.ts';
import { startTestService } from '../../../../test/support/service.ts';

const service = await startTestService({ runner: null, settings: { RUNNERS: '1' } });
test.after(() => service[Symbol.asyncDispose]());
const client = new GeomillClient({ baseUrl: service.url });

type Position = readonly [number, number];
const positionsOf = ({ features }: FeatureCollection): Position[] =>
  features.map(({ geometry }) => (geometry as unknown as { coordinates: Position }).coordinates);

/** A point at (0, 1), in metres; the .prj says longitude and latitude. */
const SHAPEFILE = { fields: [['ID', 'N', 4, 0]] as const, rows: [['1']] };

test('override_crs reads a shapefile in the CRS of the request, and reports what the .prj states', async () => {
  using workspace = makeWorkspace();
  const path = await writeRawShapefile(join(workspace.path, 'wrong.zip'), SHAPEFILE);
  const input = { name: 'wrong.zip', data: new Blob([readFileSync(path)]) };
  const stated = { format: 'shp', epsg: 3857 } as const;
  await assert.rejects(
    async () => {
      const job = await client.submit({ input, config: { input: stated, output: { format: 'geojson' } } });
      await job.result();
    },
    (error) => error instanceof JobFailed && error.code === 'CRS_CONFLICT',
  );
  const config = { input: { ...stated, override_crs: true }, output: { format: 'geojson' } } as const;
  const job = await client.submit({ input, config });
  const [[x, y]] = positionsOf(await (await job.result()).json<FeatureCollection>());
  assert.equal(x, 0);
  // One metre on the sphere of Web Mercator.
  assert.ok(Math.abs(y - 180 / Math.PI / 6_378_137) < 1e-7);
  const report = await job.report();
  assert.ok(report !== null);
  assert.ok(report.warnings.some(({ code }) => code === 'CRS_CONTRADICTED'));
  const { input: understood } = report.request as unknown as { readonly input: object };
  assert.deepEqual(understood, { format: 'shp', epsg: 'EPSG:3857', override_crs: true });
  const { layers } = await client.inspect({ input, config: { input: config.input } });
  assert.deepEqual([layers[0].crs?.authority?.code, layers[0].crs?.origin], ['3857', 'request']);
});

test('override_crs without a CRS is rejected', async () => {
  await assert.rejects(
    client.inspect({
      input: { name: 'a.zip', data: new Blob(['PK']) },
      config: { input: { format: 'shp', override_crs: true } },
    }),
    (error) => error instanceof GeomillProblem && error.status === 400 && /input\.epsg/.test(error.message),
  );
});

test('--override-crs does the same on the command line', async () => {
  using workspace = makeWorkspace();
  const path = await writeRawShapefile(join(workspace.path, 'wrong.zip'), SHAPEFILE);
  const out = join(workspace.path, 'out.geojson');
  const refused = await runCli(['convert', path, out, '--from-crs', 'EPSG:3857'], {});
  assert.notEqual(refused.status, 0);
  const ended = await runCli(['convert', path, out, '--from-crs', 'EPSG:3857', '--override-crs'], {});
  assert.equal(ended.status, 0, ended.err);
  const [[, y]] = positionsOf(JSON.parse(readFileSync(out, 'utf8')) as FeatureCollection);
  assert.ok(y > 0 && y < 1e-4);
  const alone = await runCli(['convert', path, `${out}.json`, '--override-crs'], {});
  assert.match(alone.err, /--override-crs needs --from-crs/);
});

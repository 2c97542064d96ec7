/** Inputs of commands that are URLs. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { LAYER_PATH, startArcgis } from '../../../test/support/arcgis-server.ts';
import { makeCertificate } from '../../../test/support/certificate.ts';
import { featuresIn } from '../../../test/support/combine.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { type Handler, startFileHost } from '../../../test/support/file-host.ts';
import { runCli } from '../../../test/support/run-cli.ts';

const point = (x: number, y: number, name: string): object => ({
  type: 'Feature',
  properties: { name },
  geometry: { type: 'Point', coordinates: [x, y] },
});
const collection = (...features: readonly object[]): string =>
  JSON.stringify({ type: 'FeatureCollection', features });
const POINTS = collection(point(9, 50, 'in'), point(20, 50, 'out'));
const SQUARE = collection({
  type: 'Feature',
  properties: {},
  geometry: { type: 'Polygon', coordinates: [[8, 49, 10, 49, 10, 51, 8, 51, 8, 49].flatMap(pairs)] },
});

function pairs(_: number, i: number, all: readonly number[]): number[][] {
  return i % 2 === 0 ? [[all[i], all[i + 1]]] : [];
}

test('converts the file of a URL, with a mask of another URL, and reports the hosts', async () => {
  using workspace = makeWorkspace();
  await using host = await startFileHost({
    '/data/points.geojson': (_, response) => response.end(POINTS),
    '/zone.geojson': (_, response) => response.end(SQUARE),
  });
  const output = join(workspace.path, 'out.csv');
  const argv = ['convert', `${host.url}/data/points.geojson?token=secret`, output, '--json', '--quiet'];
  const { status, out, err } = await runCli([...argv, '--clip', `${host.url}/zone.geojson`], {});
  assert.equal(status, 0, err);
  assert.match(readFileSync(output, 'utf8'), /^[^\n]*name[^\n]*\n[^\n]*in[^\n]*\n$/);
  const report = JSON.parse(out);
  assert.equal(report.input.name, 'points.geojson');
  const shown = new URL(host.url).host;
  assert.deepEqual(report.fetched, { host: shown, byte_length: POINTS.length });
  assert.deepEqual(report.fetched_sources, [{ host: shown, byte_length: SQUARE.length }]);
  assert.doesNotMatch(out, /secret/);
});

test('trusts the certificate authorities of NODE_EXTRA_CA_CERTS', async (context) => {
  using workspace = makeWorkspace();
  const pair = makeCertificate(context, workspace.path, 'IP:127.0.0.1');
  if (pair === null) return;
  await using host = await startFileHost(
    { '/points.geojson': (_, response) => response.end(POINTS) },
    { tls: pair },
  );
  const output = join(workspace.path, 'out.csv');
  const argv = ['convert', `${host.url}/points.geojson`, output];
  const untrusted = await runCli(argv, {});
  assert.match(untrusted.err, /certificate is not to be trusted/);
  const { status, err } = await runCli(argv, { NODE_EXTRA_CA_CERTS: pair.certPath });
  assert.equal(status, 0, err);
  assert.match(readFileSync(output, 'utf8'), /out/);
});

test('reports all files that an append of several formats fetched', async () => {
  using workspace = makeWorkspace();
  const csv = 'name,geom_wkt\nnew,POINT(9 50)\n';
  await using host = await startFileHost({
    '/a.csv': (_, response) => response.end(csv),
    '/b.geojson': (_, response) => response.end(POINTS),
  });
  const target = join(workspace.path, 'target.gpkg');
  const made = await runCli(['convert', `${host.url}/b.geojson`, target, '--layer-name', 'target'], {});
  assert.equal(made.status, 0, made.err);
  const output = join(workspace.path, 'all.gpkg');
  const argv = ['append', target, `${host.url}/a.csv`, `${host.url}/b.geojson`, '--out', output];
  const { status, out, err } = await runCli([...argv, '--append-crs', 'EPSG:4326', '--json', '--quiet'], {});
  assert.equal(status, 0, err);
  const report = JSON.parse(out);
  const shown = new URL(host.url).host;
  assert.equal(report.fetched, undefined);
  assert.deepEqual(report.fetched_sources, [
    { host: shown, byte_length: csv.length },
    { host: shown, byte_length: POINTS.length },
  ]);

  // The limit holds for all files of the command, although those of each format are a run.
  const limit = csv.length + POINTS.length - 1;
  const more = await runCli([...argv, '--append-crs', 'EPSG:4326', '--overwrite'], {
    MAX_UPLOAD: `${limit}`,
  });
  assert.equal(more.status, 1);
  assert.match(more.err, /the file of '127\.0\.0\.1:\d+' is declared as \d+ bytes; .* \(MAX_UPLOAD\)/);
});

test('reads all pages of a layer of an ArcGIS server', async () => {
  using workspace = makeWorkspace();
  await using host = await startArcgis();
  const output = join(workspace.path, 'roads.geojson');
  const { status, err } = await runCli(['convert', host.url + LAYER_PATH, output], {});
  assert.equal(status, 0, err);
  assert.match(err, /layer 'Main roads' of '.*' was read completely: 7 features/);
  assert.equal(featuresIn(output).length, 7);
  const info = await runCli(
    ['info', `${host.url}${LAYER_PATH}/query?where=kind = 1`.replaceAll(' ', '%20')],
    {},
  );
  assert.equal(info.status, 0, info.err);
  assert.match(info.out, /^esrijson, one layer\n\nlayer '[^']+': 3 features\n/);
});

test('names the outputs of URLs after their files, inside of --out-dir', async () => {
  using workspace = makeWorkspace();
  await using host = await startFileHost({
    '/a.geojson': (_, response) => response.end(POINTS),
    '/%2e%2e%2f%2e%2e%2fevil.geojson': (_, response) => response.end(POINTS),
  });
  const out = join(workspace.path, 'deep', 'er', 'out');
  const urls = [`${host.url}/a.geojson?x[1]=*`, `${host.url}/%2e%2e%2f%2e%2e%2fevil.geojson`];
  const { status, err } = await runCli(['convert', ...urls, '--out-dir', out, '--to', 'csv'], {});
  assert.equal(status, 0, err);
  assert.deepEqual(readdirSync(out).sort(), ['a.csv', 'evil.csv']);
  assert.deepEqual(readdirSync(workspace.path), ['deep']);
});

test('refuses URLs that cannot be fetched, without an output', async () => {
  using workspace = makeWorkspace();
  await using inner = await startFileHost({ '/a.geojson': (_, response) => response.end(POINTS) });
  const redirect =
    (location: string): Handler =>
    (_, response) =>
      response.writeHead(302, { location }).end();
  await using host = await startFileHost({
    '/large.geojson': (_, response) => response.end(POINTS),
    '/inside.geojson': redirect(`${inner.url}/a.geojson`),
    '/to-name.geojson': redirect(`http://localhost:${inner.port}/a.geojson`),
    '/cut.geojson': (_, response) => {
      response.writeHead(200, { 'content-length': '90' });
      response.write('{"type"', () => response.destroy());
    },
  });
  const out = join(workspace.path, 'out');
  const refused: readonly (readonly [string, RegExp])[] = [
    [`${host.url}/missing.geojson?key=secret`, /returned status 404/],
    [`${host.url}/large.geojson`, /\d+ bytes.*100 bytes.*MAX_UPLOAD/],
    [`${host.url}/inside.geojson`, /redirects to an address from which files are not fetched/],
    [`${host.url}/to-name.geojson`, /redirects to an address from which files are not fetched/],
    [`${host.url}/cut.geojson`, /closed before the whole file was received/],
    ['http://169.254.169.254/metadata.geojson', /files are not fetched from '169\.254\.169\.254'/],
    ['http://me:secret@127.0.0.1/b.geojson', /holds a user name or a password/],
    ['https:///c/d.geojson', /'https:\/\/\/c\/d\.geojson' is not a URL/],
  ];
  const argv = ['convert', ...refused.map(([url]) => url), '--out-dir', out, '--to', 'csv'];
  const { status, err } = await runCli(argv, { MAX_UPLOAD: '100' });
  assert.equal(status, 1, err);
  const lines = err.split('\n');
  for (const [i, [, message]] of refused.entries()) assert.match(lines[i], message);
  assert.doesNotMatch(err, /secret/);
  assert.deepEqual(readdirSync(out), []);
  assert.equal(inner.requests.length, 0);
});

test('refuses URLs whose format is not known, and URLs as outputs, before anything is fetched', async () => {
  using workspace = makeWorkspace();
  await using host = await startFileHost({});
  const output = join(workspace.path, 'out.csv');
  for (const [argv, message] of [
    [
      [`${host.url}/data?key=secret`, output],
      /cannot tell the format of '.*\/data' from its extension; use --from/,
    ],
    [[`${host.url}/map.dgn`, output], /DGN/],
    [
      [`${host.url}/a.geojson`, output, '--clip', `${host.url}/zones.gpkg:city centre`],
      /--clip: URL:LAYER is not split.*--clip URL --mask-layer 'city centre'/,
    ],
    [[`${host.url}/a.geojson`, `${host.url}/out.csv`], /is a URL; an output is a file/],
    [
      [`${host.url}/a.geojson`, '--out-dir', `${host.url}/b?key=secret`, '--to', 'csv'],
      /is a URL; an output is a file/,
    ],
    [
      [
        `${host.url}/a.geojson?key=secret`,
        `${host.url}/a.csv?key=secret`,
        '--out-dir',
        output,
        '--to',
        'kml',
      ],
      /\/a\.geojson' and '.*\/a\.csv' would both be written/,
    ],
  ] as const) {
    const { status, err } = await runCli(['convert', ...argv], {});
    assert.equal(status, 2, err);
    assert.match(err, message);
    assert.doesNotMatch(err, /secret/);
  }
  const mixed = [`${host.url}/a.geojson?key=secret`, `${host.url}/a.csv?key=secret`];
  const { status, err } = await runCli(['append', ...mixed, '--out', output], {});
  assert.equal(status, 2, err);
  assert.match(err, /\/a\.geojson' is geojson and '.*\/a\.csv' is csv/);
  assert.doesNotMatch(err, /secret/);
  assert.equal(existsSync(output), false);
  assert.equal(host.requests.length, 0);
});

/** The CRS of a drawing: written as comments and GEODATA, read back, honoured in drawings of others; local drawings. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { run as convert } from '../../../apps/cli/src/convert.ts';
import { readConfig } from '../../../apps/service/src/settings/config.ts';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import type { ConversionReport } from '../../pipeline/src/report.ts';

const PYTHON = '/usr/bin/python3';
const hasEzdxf = spawnSync(PYTHON, ['-c', 'import ezdxf']).status === 0;
const POINT = 'n,geom_wkt\n1,POINT (450000.5 5400000.25)\n';

/** A drawing of one point in a CRS. */
async function drawingIn(workspace: string, fromCrs: string): Promise<string> {
  const path = join(workspace, 'point.csv');
  writeFileSync(path, POINT);
  const options = { from: 'csv', to: 'dxf', fromCrs, toCrs: 'source' };
  return (await convertFile(path, join(workspace, 'made'), options)).outputPath;
}

let count = 0;

async function readBack(
  path: string,
  workspace: string,
  options: Partial<ConvertOptions> = {},
): Promise<{ report: ConversionReport; text: string; codes: readonly string[] }> {
  const { report, outputPath } = await convertFile(path, join(workspace, `read-${count++}`), {
    from: 'dxf',
    to: 'csv',
    toCrs: 'source',
    ...options,
  });
  return { report, text: readFileSync(outputPath, 'utf8'), codes: report.warnings.map(({ code }) => code) };
}

/** A file without the comments, as a CAD program saves it. */
function withoutComments(path: string): string {
  const text = readFileSync(path, 'utf8').replaceAll(/(?<=^|\n)999\n.*\n/g, '');
  const to = path.replace('.dxf', '-saved.dxf');
  writeFileSync(to, text);
  return to;
}

test('a drawing is read in the CRS that its comments or its GEODATA object state', async () => {
  using workspace = makeWorkspace();
  for (const crs of ['EPSG:25832', 'EPSG:2263', 'EPSG:4326', 'ESRI:102003']) {
    const path = await drawingIn(workspace.path, crs);
    const { report, text } = await readBack(path, workspace.path);
    assert.equal(report.output.crs, crs);
    assert.match(text, /POINT \(450000\.5 5400000\.25\)/);
    const saved = withoutComments(path);
    if (crs === 'EPSG:25832' || crs === 'EPSG:2263')
      assert.equal((await readBack(saved, workspace.path)).report.output.crs, crs);
    else await assert.rejects(readBack(saved, workspace.path), { code: 'CRS_MISSING' });
  }
});

test('a CRS without a code is read back from its WKT', async () => {
  using workspace = makeWorkspace();
  const path = await drawingIn(
    workspace.path,
    '+proj=tmerc +lat_0=1 +lon_0=9 +k=0.9997 +x_0=500000 +ellps=bessel +units=m +type=crs',
  );
  const { report } = await readBack(path, workspace.path, { toCrs: 'EPSG:4326' });
  assert.equal(report.reprojections.length, 1);
});

test('the CRS of the request wins, and a contradiction is reported', async () => {
  using workspace = makeWorkspace();
  const path = await drawingIn(workspace.path, 'EPSG:25832');
  const { report, codes } = await readBack(path, workspace.path, { fromCrs: 'EPSG:25833' });
  assert.equal(report.output.crs, 'EPSG:25833');
  assert.ok(codes.includes('CRS_CONTRADICTED'));
  assert.ok(
    !(await readBack(path, workspace.path, { fromCrs: 'EPSG:25832' })).codes.includes('CRS_CONTRADICTED'),
  );
});

test('GEODATA of other programs is honoured where it names a system', async () => {
  using workspace = makeWorkspace();
  const saved = withoutComments(await drawingIn(workspace.path, 'EPSG:25832'));
  const own = /\n303\n<\?xml[\s\S]*?\n301\n.*\n/;
  const text = readFileSync(saved, 'utf8');
  assert.match(text, own);
  const alias = (id: string, type: string): string =>
    `<Alias id="${id}" type="${type}"><ObjectId>X</ObjectId><Namespace>EPSG Code</Namespace></Alias>`;
  const named = (id: string): string =>
    `<Dictionary><ProjectedCoordinateSystem id="${id}"></ProjectedCoordinateSystem></Dictionary>`;
  const rows: [definition: string, crs: string | null][] = [
    [`<Dictionary>${alias('6326', 'Datum')}${alias('3395', 'CoordinateSystem')}</Dictionary>`, 'EPSG:3395'],
    ['EPSG:2154', 'EPSG:2154'],
    [named('UTM84-32N'), 'EPSG:32632'],
    [named('UTM84-56S'), 'EPSG:32756'],
    [named('ETRS89.UTM-33N'), 'EPSG:25833'],
    [named('UTM83-17'), 'EPSG:26917'],
    [named('BritishNatGrid'), 'EPSG:27700'],
    [named('UTM84-61N'), null],
    [named('UTM83-17F'), null],
    ['something else', null],
  ];
  for (const [definition, crs] of rows) {
    writeFileSync(
      saved,
      text.replace(own, `\n303\n${definition.slice(0, 9)}\n301\n${definition.slice(9)}\n`),
    );
    const reading = readBack(saved, workspace.path);
    if (crs === null) await assert.rejects(reading, (error) => error instanceof GeomillError);
    else assert.equal((await reading).report.output.crs, crs);
  }
});

test('GEODATA that places a local grid states no CRS of the coordinates', async () => {
  using workspace = makeWorkspace();
  const saved = withoutComments(await drawingIn(workspace.path, 'EPSG:25832'));
  const text = readFileSync(saved, 'utf8');
  const start = text.lastIndexOf('AcDbGeoData');
  const object = text.slice(start);
  assert.match(object, /\n\s*70\n\s*\d\n/);
  const moved = object.replace(/(\n\s*70\n)\s*\d\n/, '$11\n').replace(/(\n\s*11\n).*\n/, '$1471000.0\n');
  writeFileSync(saved, text.slice(0, start) + moved);
  await assert.rejects(readBack(saved, workspace.path), (error) => error instanceof GeomillError);
});

test('a local drawing keeps its coordinates and its unit', async () => {
  using workspace = makeWorkspace();
  const drawing = withoutComments(await drawingIn(workspace.path, 'EPSG:2263'));
  const local = { fromCrs: 'local', toCrs: 'local' };
  const { text, report } = await readBack(drawing, workspace.path, local);
  assert.match(text, /POINT \(450000\.5 5400000\.25\)/);
  assert.deepEqual(report.reprojections, []);
  const again = await convertFile(drawing, join(workspace.path, 'again'), {
    from: 'dxf',
    to: 'dxf',
    ...local,
  });
  const written = readFileSync(again.outputPath, 'utf8');
  // The US survey foot is 21.
  assert.match(written, /\n9\n\$INSUNITS\n70\n21\n/);
  assert.match((await readBack(again.outputPath, workspace.path)).text, /POINT \(450000\.5 5400000\.25\)/);
  for (const to of ['gpkg', 'shp'])
    await convertFile(drawing, join(workspace.path, to), { from: 'dxf', to, ...local });
  await assert.rejects(readBack(drawing, workspace.path, { fromCrs: 'local', toCrs: 'EPSG:4326' }), {
    code: 'CRS_LOCAL_MOVED',
  });
  await assert.rejects(readBack(drawing, workspace.path, { fromCrs: 'EPSG:2263', toCrs: 'local' }), {
    code: 'CRS_NO_OPERATION',
  });
});

test('the command line reads its own drawings without --from-crs, and local ones with it', async () => {
  using workspace = makeWorkspace();
  const drawing = await drawingIn(workspace.path, 'EPSG:25832');
  const out = join(workspace.path, 'out.csv');
  const settings = readConfig({});
  assert.equal(await convert([drawing, out, '--quiet', '--to-crs', '4326'], settings), 0);
  assert.match(readFileSync(out, 'utf8'), /POINT \(8\.3/);
  assert.equal(await convert([drawing, out, '--quiet', '--overwrite', '--from-crs', 'Local'], settings), 0);
  assert.match(readFileSync(out, 'utf8'), /POINT \(450000\.5 5400000\.25\)/);
});

test('ezdxf finds the CRS in the GEODATA object, and nothing to mend', {
  skip: hasEzdxf ? false : 'python3-ezdxf is not installed',
}, async () => {
  using workspace = makeWorkspace();
  const script = join(import.meta.dirname, '../../../test/oracle/dxf_geodata.py');
  for (const [crs, expected] of [
    ['EPSG:25832', { epsg: 25832, is_xy: true, type: 2, scale: 1 }],
    ['EPSG:2263', { epsg: 2263, is_xy: true, type: 2, scale: 0.304800609601 }],
    ['EPSG:4326', null],
  ] as const) {
    const path = await drawingIn(workspace.path, crs);
    const { stdout, stderr } = spawnSync(PYTHON, [script, path], { encoding: 'utf8' });
    assert.notEqual(stdout, '', stderr);
    assert.deepEqual(JSON.parse(stdout), { errors: 0, fixes: 0, geodata: expected });
  }
});

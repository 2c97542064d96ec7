/** Points as blocks with attributes, and styles of layers: what ezdxf and GDAL see, and what comes back. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';

const PYTHON = '/usr/bin/python3';
const python = spawnSync(PYTHON, ['-c', 'import ezdxf; from osgeo import ogr']);
const skip = python.status === 0 ? false : 'python3 with ezdxf and GDAL is not installed';

const LONG = 'ä'.repeat(200);
const FEATURES = [
  { geometry: { type: 'Point', coordinates: [8.5, 53.5, 4] }, properties: { 'tree no': 1, kind: 'Eiche %%d', height: 12.5, felled: null } },
  { geometry: { type: 'MultiPoint', coordinates: [[8.6, 53.5], [8.7, 53.6]] }, properties: { 'tree no': 2, kind: LONG, height: 3, felled: '2020-05-01' } },
  { geometry: { type: 'LineString', coordinates: [[8.5, 53.5], [8.6, 53.6]] }, properties: { 'tree no': 3, kind: 'row', height: null, felled: null } },
].map((feature) => ({ type: 'Feature', ...feature })); // biome-ignore format: rows

async function draw(writeOptions: ConvertOptions['writeOptions'], features = FEATURES) {
  const workspace = makeWorkspace();
  const path = join(workspace.path, 'trees.geojson');
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const options = { from: 'geojson', to: 'dxf', toCrs: 'EPSG:25832', writeOptions } as const;
  const { report, outputPath } = await convertFile(path, workspace.path, options);
  return { workspace, report, outputPath, [Symbol.dispose]: () => workspace[Symbol.dispose]() };
}

const SCRIPT = `import sys, json, ezdxf
from osgeo import ogr
doc = ezdxf.readfile(sys.argv[1])
audit = doc.audit()
inserts = [dict(block=e.dxf.name, layer=e.dxf.layer, at=list(e.dxf.insert), scale=e.dxf.xscale,
    values={a.dxf.tag: a.dxf.text for a in e.attribs}, hidden=all(a.is_invisible for a in e.attribs)) for e in doc.modelspace().query('INSERT')]
blocks = {b.name: [d.dxf.tag for d in b.query('ATTDEF')] for b in doc.blocks if not b.name.startswith('*')}
layers = {l.dxf.name: [l.color, l.rgb, l.dxf.linetype] for l in doc.layers}
dashes = {t.dxf.name: [g.value for g in t.pattern_tags.tags if g.code == 49] for t in doc.linetypes if hasattr(t, 'pattern_tags')}
source = ogr.Open(sys.argv[1])
drawn = [f.GetGeometryRef().GetGeometryName() for f in source.GetLayer(0) if f.GetGeometryRef()]
print(json.dumps(dict(faults=[e.message for e in audit.errors + audit.fixes], inserts=inserts, blocks=blocks,
    layers=layers, dashes=dashes, drawn=drawn)))`;

interface Seen {
  readonly faults: readonly string[];
  readonly inserts: readonly {
    readonly block: string;
    readonly layer: string;
    readonly at: readonly number[];
    readonly scale: number;
    readonly values: Readonly<Record<string, string>>;
    readonly hidden: boolean;
  }[];
  readonly blocks: Readonly<Record<string, readonly string[]>>;
  readonly layers: Readonly<Record<string, readonly [number, readonly number[] | null, string]>>;
  readonly dashes: Readonly<Record<string, readonly number[]>>;
  readonly drawn: readonly string[];
}

function seen(path: string): Seen {
  const done = spawnSync(PYTHON, ['-c', SCRIPT, path], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout) as Seen;
}

test('points are INSERTs of a block with their fields as attributes, and are read back as points', {
  skip,
}, async () => {
  using drawn = await draw({ points_as: 'block', text_height: 2, label_field: 'tree no' });
  const { faults, inserts, blocks, drawn: shapes } = seen(drawn.outputPath);
  assert.deepEqual(faults, []);
  const tags = ['tree_no', 'kind', 'height', 'felled'];
  assert.deepEqual(blocks, { trees: tags });
  assert.deepEqual(
    inserts.map(({ block, layer, scale, hidden }) => [block, layer, scale, hidden]),
    [1, 2, 3].map(() => ['trees', 'point', 2, true]),
  );
  const text = readFileSync(drawn.outputPath, 'utf8');
  const handles = [...text.matchAll(/^INSERT\n5\n(\w+)/gm)].map(([, handle]) => handle);
  assert.deepEqual(
    [...text.matchAll(/^ATTRIB\n5\n\w+\n330\n(\w+)/gm)].map(([, owner]) => owner),
    handles.flatMap((handle) => tags.map(() => handle)),
  );
  const second = { tree_no: '2', kind: '', height: '3', felled: '2020-05-01' };
  assert.deepEqual(
    inserts.map(({ values }) => values),
    [{ tree_no: '1', kind: 'Eiche %%%%%%d', height: '12.5', felled: '' }, second, second],
  );
  assert.equal(inserts[0].at[2], 4);
  // GDAL reads the circle and the point of each block as a collection, attributes and labels as points.
  const counts = ['GEOMETRYCOLLECTION', 'LINESTRING', 'POINT'].map((name) => shapes.filter((one) => one === name).length); // biome-ignore format: one line
  assert.deepEqual(counts, [3, 1, 3 * tags.length + 3]);
  const codes = drawn.report.warnings.map(({ code, count }) => [code, count]);
  assert.deepEqual(codes, [['ATTRIBUTE_TOO_LONG', 2]]);
  using plain = await draw({});
  const back = async ({ outputPath, workspace }: typeof drawn): Promise<unknown> => {
    const options = { from: 'dxf', to: 'geojson', outputName: 'back' } as const;
    const { outputPath: read } = await convertFile(outputPath, workspace.path, options);
    return JSON.parse(readFileSync(read, 'utf8')).features;
  };
  assert.deepEqual(await back(drawn), await back(plain));
});

test('without XDATA the attributes of blocks are fields of points', async () => {
  using drawn = await draw({ points_as: 'block', attributes: false }, FEATURES.slice(0, 1));
  const { outputPath } = await convertFile(drawn.outputPath, drawn.workspace.path, {
    from: 'dxf',
    to: 'geojson',
    outputName: 'back',
    readOptions: { blocks: 'points' },
  });
  const [{ properties, geometry }] = JSON.parse(readFileSync(outputPath, 'utf8')).features;
  assert.deepEqual(
    [properties.Block, properties.tree_no, properties.height, geometry.type],
    ['trees', '1', '12.5', 'Point'],
  );
});

test('many attributes and features of several batches make one block, and the head grows as needed', {
  skip,
}, async () => {
  const wide = Array.from({ length: 300 }, (_, n) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [8, 50] },
    properties: { n, [`field number ${n % 5}, ${'with a very long name '.repeat(40)}`]: n },
  }));
  using drawn = await draw({ points_as: 'block', attributes: false }, wide as never);
  const { faults, inserts, blocks } = seen(drawn.outputPath);
  assert.deepEqual(faults, []);
  assert.equal(blocks.trees.length, 6);
  assert.deepEqual(
    inserts.map(({ values }) => Number(values.n)),
    wide.map((_, n) => n),
  );
});

test('layers have the colours and linetypes of the request', { skip }, async () => {
  using drawn = await draw({
    layer_field: 'kind',
    layer_styles: 'ROW=#0080ff, dashed; polyline=5; water=dotted;',
    text_height: 5,
  });
  const { faults, layers, dashes } = seen(drawn.outputPath);
  assert.deepEqual(faults, []);
  assert.deepEqual(layers.row, [7, [0, 128, 255], 'DASHED']);
  assert.deepEqual(layers.polyline, [5, null, 'Continuous']);
  assert.deepEqual(layers.point, [1, null, 'Continuous']);
  assert.deepEqual(dashes.DASHED, [24, -12]);
  const unused = drawn.report.warnings.find(({ code }) => code === 'LAYER_STYLE_UNUSED');
  assert.match(unused?.message ?? '', /no layer 'water'.*output\.layer_styles/);
});

test('a style that cannot be is refused with what can be', async () => {
  for (const [layer_styles, message] of [
    ['row', /'row' is not LAYER=COLOUR/],
    ['row=red', /'red', which is neither a colour \(#rrggbb.* nor a linetype \(continuous, dashed/],
    ['row=256', /'256'/],
    ['row=#12345', /'#12345'/],
    ['=3', /'=3' is not LAYER=/],
  ] as const)
    await assert.rejects(draw({ layer_styles }), { code: 'CONFIG_INVALID', message });
});

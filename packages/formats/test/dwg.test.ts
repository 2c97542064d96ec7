/** DWG: the same drawings as DXF, code pages, locations, versions, limits and damage. */
import assert from 'node:assert/strict';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import {
  BlockRecord,
  Circle,
  type Entity,
  Insert,
  Line,
  Point,
  TextEntity,
  XYZ,
} from '@node-projects/acad-ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { drawingAsDwg, dwgOf } from '../../../test/support/dwg-drawings.ts';
import {
  type ReadInput,
  type ReadSettings,
  readBytesLayers,
  readFileLayers,
} from '../../../test/support/read-layers.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { parseDrawing } from '../src/dxf/dwg/parse.ts';
import { reader } from '../src/dxf/dwg/read.ts';
import { reader as dxfReader } from '../src/dxf/read.ts';

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures');
const VERSIONS = ['AC1014', 'AC1015', 'AC1018', 'AC1021', 'AC1024', 'AC1027', 'AC1032'];

const read = (bytes: Uint8Array, settings: ReadSettings = {}): Promise<ReadInput> =>
  readBytesLayers(reader, bytes, { name: 'plan.dwg', ...settings });

const dxf = (name: string): Buffer => readFileSync(join(FIXTURES, 'dxf', `${name}.dxf`));

/** What rows show without their handles, with rounded coordinates. */
function shown({ layers }: ReadInput): string[] {
  const rounded = (text: string): string =>
    text.replace(/-?\d+(?:\.\d+)?(?:e-?\d+)?/g, (digits) =>
      String(Math.round(Number(digits) * 1e9) / 1e9 + 0),
    );
  return layers[0].rows
    .map(({ geometry, properties: { Layer, SubClasses, Text, TextHeight, Color, Block } }) =>
      JSON.stringify([rounded(geometry ?? ''), Layer, SubClasses, Text, TextHeight, Color, Block]),
    )
    .sort();
}

for (const version of VERSIONS)
  test(`reads a drawing of ${version} as its DXF`, async () => {
    const drawing = dxf('r2000');
    const options = { layouts: 'all', curve_tolerance: 0.01 };
    const expected = await readBytesLayers(dxfReader, drawing, { name: 'plan.dxf', options });
    assert.deepEqual(shown(await read(drawingAsDwg(drawing, version), { options })), shown(expected));
  });

for (const name of ['curves', 'ocs'])
  test(`reads the entities of the drawing ${name} as its DXF`, async () => {
    const options = { layouts: 'all', curve_tolerance: 0.01 };
    const expected = await readBytesLayers(dxfReader, dxf(name), { name: 'plan.dxf', options });
    assert.deepEqual(shown(await read(drawingAsDwg(dxf(name), 'AC1032'), { options })), shown(expected));
  });

test('options of drawings apply: layouts, blocks, closed polylines', async () => {
  const bytes = readFileSync(join(FIXTURES, 'dwg', 'r2018.dwg'));
  const points = await read(bytes, { options: { blocks: 'points' } });
  assert.ok(points.layers[0].rows.some(({ properties }) => properties.Block !== undefined));
  const areas = await read(dwgOf([new Circle()]), { options: { closed_polylines: 'polygons' } });
  assert.match(areas.layers[0].rows[0].geometry ?? '', /^POLYGON/);
});

const textsOf = async (bytes: Uint8Array, settings: ReadSettings = {}): Promise<unknown[]> => {
  const { layers } = await read(bytes, settings);
  return [layers[0].source.encoding, ...layers[0].rows.map(({ properties }) => properties.Text)];
};

test('reads texts in the code page of the drawing, and in UTF-16 from 2007 on', async () => {
  for (const [page, text, encoding] of [
    ['ANSI_1250', 'Zażółć', 'windows-1250'],
    ['ANSI_1251', 'План', 'windows-1251'],
    ['ANSI_1252', 'Größe €', 'windows-1252'],
    ['ANSI_1253', 'Σχέδιο', 'windows-1253'],
  ])
    for (const version of VERSIONS) {
      const expected = version < 'AC1021' ? encoding : 'UTF-8';
      assert.deepEqual(
        await textsOf(dwgOf([new TextEntity(text)], version, page)),
        [expected, text],
        version,
      );
    }
});

test('reads texts in a double-byte code page, in UTF-8 under another name, and in the requested encoding', async () => {
  const asLatin = (bytes: readonly number[]): string =>
    new TextDecoder('windows-1252').decode(Uint8Array.from(bytes));
  const sjis = dwgOf([new TextEntity(asLatin([0x93, 0x8c, 0x83, 0x5c]))], 'AC1015');
  sjis[19] = 38;
  assert.deepEqual(await textsOf(sjis), ['UTF-8', '東ソ']);
  const utf8 = dwgOf([new TextEntity(asLatin([...Buffer.from('Straßenbögen')]))], 'AC1018');
  assert.equal((await textsOf(utf8))[1], 'Straßenbögen');
  const cyrillic = dwgOf([new TextEntity(asLatin([0xcf, 0xeb, 0xe0, 0xed]))], 'AC1014');
  const options = { encoding: 'windows-1251' };
  assert.deepEqual(await textsOf(cyrillic, { options }), ['windows-1251', 'План']);
});

test('takes the CRS from the location of the drawing, unless that is a local grid', async () => {
  const located = await read(drawingAsDwg(dxf('r2018'), 'AC1032', 'EPSG:25832'));
  assert.equal(located.layers[0].source.crs, 'EPSG:25832');
  const plain = await read(dwgOf([new Point(new XYZ(1, 2, 3))]));
  assert.deepEqual(
    [plain.layers[0].source.crs, plain.layers[0].source.crsMissingReason],
    [null, 'a DWG states no CRS'],
  );
});

test('places blocks by their base point, and attributes where they are in the drawing', async () => {
  const block = new BlockRecord('tree');
  block.blockEntity.basePoint = new XYZ(1, 1, 0);
  block.entities.add(new Point(new XYZ(3, 4, 0)));
  const insert = new Insert(block);
  insert.insertPoint = new XYZ(10, 10, 0);
  insert.rotation = Math.PI / 2;
  const { layers } = await read(dwgOf([insert]));
  assert.deepEqual(layers[0].rows.map(({ geometry }) => geometry), ['POINT (7 12)']); // biome-ignore format: one line
});

const refusal = async (bytes: Uint8Array): Promise<GeomillError> => {
  const error = await read(bytes).then(
    () => assert.fail('it was read'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GeomillError, String(error));
  return error;
};

test('refuses other versions by their names, and files that are no drawing', async () => {
  for (const [start, code, message] of [
    ['AC1009\0\0', 'DWG_VERSION', /AutoCAD R11 or R12.*Save it as DXF/],
    ['AC1006\0\0', 'DWG_VERSION', /AutoCAD R10/],
    ['AC1012\0\0', 'DWG_VERSION', /AutoCAD R13/],
    ['AC1.50\0\0', 'DWG_VERSION', /AutoCAD 2\.05/],
    ['MC0.0\0\0\0', 'DWG_VERSION', /AutoCAD 1\.0/],
    ['AC1036\0\0', 'DWG_VERSION', /does not know \(AC1036\)/],
    ['AC1018\n', 'DWG_TRUNCATED', /has 7 bytes.*incomplete/],
    ['AC1014', 'DWG_TRUNCATED', /incomplete/],
    ['  0\nSECTION\n', 'INPUT_WRONG_FORMAT', /DXF/],
    ['', 'INPUT_EMPTY', /0 bytes/],
  ] as const) {
    const error = await refusal(Buffer.from(start, 'latin1'));
    assert.equal(error.code, code, start);
    assert.match(error.message, message, start);
  }
});

test('refuses a drawing that is larger than what is parsed in memory, before it reads it', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'huge.dwg');
  const file = openSync(path, 'w');
  writeSync(file, 'AC1032');
  ftruncateSync(file, (64 << 20) + 1);
  closeSync(file);
  await assert.rejects(readFileLayers(reader, path), { code: 'DWG_TOO_LARGE' });
});

test('counts entities that are in the list of objects, but cannot be read', async () => {
  const lines = Array.from({ length: 5 }, (_, i) => new Line(new XYZ(i, 0, 0), new XYZ(i, 7, 0)));
  const bytes = dwgOf(lines, 'AC1015');
  const whole = await read(bytes);
  assert.deepEqual([whole.layers[0].rows.length, whole.findings], [5, []]);
  const { objectMap } = parseDrawing(bytes as Uint8Array<ArrayBuffer>, 'AC1015', 'windows-1252');
  const handle = Number.parseInt(String(whole.layers[0].rows[2].properties.EntityHandle), 16);
  const offset = objectMap.get(handle) ?? 0;
  // Behind its size and type: its handle.
  bytes.fill(0xff, offset + 4, offset + 12);
  const { layers, findings } = await read(bytes);
  assert.equal(layers[0].rows.length, 4);
  assert.deepEqual(findings.map(({ code, count }) => [code, count]), [['DWG_OBJECTS_UNREAD', 1]]); // biome-ignore format: one line
  assert.match(String(findings[0].message), /^LINE objects are in the drawing/);
});

/** The work for a drawing is limited by its size, so that this ends. */
async function readDamaged(bytes: Uint8Array): Promise<'read' | GeomillError> {
  try {
    await read(bytes, { options: { layouts: 'all' } });
    return 'read';
  } catch (error) {
    assert.ok(error instanceof GeomillError, String((error as Error).stack));
    return error;
  }
}

const SMALL: readonly (readonly [version: string, entities: readonly Entity[]])[] = VERSIONS.map(
  (version) => [
    version,
    [new Line(new XYZ(1, 2, 3), new XYZ(4, 5, 6)), new TextEntity('a text'), new Circle()],
  ],
);

for (const [version, entities] of SMALL)
  test(`a damaged drawing of ${version} is refused, or read without what is damaged`, async () => {
    const bytes = dwgOf(entities, version);
    for (let cut = 1; cut < 24; cut++) {
      const length = Math.floor((bytes.length * cut) / 24);
      const result = await readDamaged(bytes.subarray(0, length));
      assert.notEqual(result, 'read', `${length} of ${bytes.length} bytes`);
      assert.equal((result as GeomillError).fault, 'user');
    }
    let seed = 7;
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    for (let i = 0; i < 30; i++) {
      const damaged = Uint8Array.from(bytes);
      // The tables at the beginning are small, and everything depends on them.
      for (let flips = 0; flips < 4; flips++)
        damaged[6 + next(flips < 2 ? 0x200 : bytes.length - 6)] = next(256);
      await readDamaged(damaged);
    }
  });

/** File geodatabases, written byte by byte. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import {
  Bytes,
  OBJECT_ID,
  type RawField,
  type RawTable,
  type RawValue,
  rawGdb,
  rawGdbZip,
  writeRawGdb,
} from '../../../test/support/raw-gdb.ts';
import {
  type ReadInput,
  type ReadSettings,
  readBytesLayers,
  readFileLayers,
} from '../../../test/support/read-layers.ts';
import { reader } from '../src/filegdb/read.ts';

const NO_WKT: RawField = { name: 'SHAPE', type: 7 };

/** A feature class of geometries with the scale 1000 and no offset. */
function shapes(
  geometryType: number,
  blobs: readonly (Uint8Array | null)[],
  more: Partial<RawTable> = {},
): RawTable {
  return {
    name: 'shapes',
    fields: [OBJECT_ID, NO_WKT],
    rows: blobs.map((blob) => [blob]),
    geometryType,
    ...more,
  };
}

const read = (
  tables: readonly RawTable[],
  settings: ReadSettings & { readonly items?: Readonly<Record<string, string>> } = {},
): Promise<ReadInput> =>
  readBytesLayers(reader, rawGdbZip(rawGdb(tables, settings.items)), { name: 'raw.gdb.zip', ...settings });

async function wktOf(table: RawTable): Promise<(string | null)[]> {
  const { layers } = await read([table]);
  return layers[0].rows.map(({ geometry }) => geometry);
}

/** A line or polygon: positions of parts in thousandths, and what follows them. */
function parts(
  type: number,
  positions: readonly (readonly (readonly [number, number])[])[],
  { after = new Uint8Array(0), curves = 0 } = {},
): Uint8Array {
  const all = positions.flat();
  const out = new Bytes().varuint(type, all.length, positions.length);
  if (curves > 0) out.varuint(curves);
  out.varuint(0, 0, 1, 1).varuint(...positions.slice(0, -1).map(({ length }) => length));
  let [x, y] = [0, 0];
  for (const [nextX, nextY] of all) {
    out.varint(nextX - x, nextY - y);
    [x, y] = [nextX, nextY];
  }
  return out.add(after).take();
}

test('reads points: empty, with Z and M, without a measure', async () => {
  const point = (...numbers: readonly number[]): Uint8Array => new Bytes().varuint(...numbers).take();
  const blobs = [
    point(1, 1501, 2001),
    point(1, 0, 0),
    null,
    point(0),
    point(9, 1, 1, 5001),
    point(11, 1, 1, 1, 7001),
    point(21, 1, 1),
    point(52 + 2 ** 31 + 2 ** 30, 1001, 1001, 3001, 4001),
  ];
  assert.deepEqual(await wktOf(shapes(1, blobs, { hasZ: true, hasM: true })), [
    'POINT (1.5 2)',
    'POINT EMPTY',
    null,
    null,
    'POINT Z (0 0 5)',
    'POINT ZM (0 0 0 7)',
    'POINT (0 0)',
    'POINT ZM (1 1 3 4)',
  ]);
});

test('reads integers of any length: differences go on over all parts', async () => {
  const far = 2 ** 40;
  const line = parts(3, [
    [
      [0, 0],
      [63_000, -64_000],
      [8_191_000, 1_048_576],
    ],
    [
      [far, -far],
      [-far, 2 ** 50],
    ],
  ]);
  const [wkt] = await wktOf(shapes(3, [line]));
  assert.equal(
    wkt,
    `MULTILINESTRING ((0 0,63 -64,8191 1048.576),(${far / 1000} ${-far / 1000},${-far / 1000} ${2 ** 50 / 1000}))`,
  );
});

test('sorts rings by what is in what, and closes rings', async () => {
  const ring = (x: number, y: number, size: number): [number, number][] => [
    [x, y],
    [x, y + size],
    [x + size, y + size],
    [x + size, y],
    [x, y],
  ];
  const hole = ring(2000, 2000, 1000).reverse();
  const island = ring(2200, 2200, 100);
  const whole = parts(5, [hole, ring(0, 0, 10_000), island]);
  const open = parts(5, [ring(0, 0, 1000).slice(0, 4)]);
  const { layers, findings } = await read([shapes(4, [whole, open])]);
  assert.deepEqual(
    layers[0].rows.map(({ geometry }) => geometry),
    [
      'MULTIPOLYGON (((0 0,0 10,10 10,10 0,0 0),(2 2,3 2,3 3,2 3,2 2)),((2.2 2.2,2.2 2.3,2.3 2.3,2.3 2.2,2.2 2.2)))',
      'POLYGON ((0 0,0 1,1 1,1 0,0 0))',
    ],
  );
  assert.deepEqual(findings.map(({ code }) => code).sort(), ['RING_CLOSED']);
});

test('a measure of -1 is none, and one byte stands for an array without measures', async () => {
  const twoPoints: [number, number][] = [
    [0, 0],
    [1000, 0],
  ];
  const some = parts(23, [twoPoints], { after: new Bytes().varint(-1, 5001).take() });
  const dummy = parts(23, [twoPoints], { after: new Bytes().varint(-2).take() });
  const missing = parts(23, [twoPoints]);
  const { layers } = await read([shapes(3, [some, dummy, missing], { hasM: true })]);
  const [geometry] = layers[0].batches.map((batch) => batch.geometry);
  assert.equal(geometry.dimensions, 'XYM');
  assert.deepEqual([...geometry.coordinates.slice(0, 6)], [0, 0, Number.NaN, 1, 0, 5]);
  assert.deepEqual(
    layers[0].rows.slice(1).map(({ geometry: wkt }) => wkt),
    ['LINESTRING (0 0,1 0)', 'LINESTRING (0 0,1 0)'],
  );
});

const CURVED_LINE = 50 + 2 ** 29;
const lineOf = (wkt: string | null): [number, number][] =>
  (wkt ?? '')
    .replace(/^[^(]*\(/, '')
    .replace(')', '')
    .split(',')
    .map((pair) => pair.split(' ').map(Number) as [number, number]);

/** One segment from (-1, 0) to (1, 0). */
async function segment(
  type: number,
  numbers: readonly number[],
  flags: number | null,
): Promise<[number, number][]> {
  const curve = new Bytes().varuint(0, type).double(...numbers);
  if (flags !== null) curve.uint(flags, 4);
  const ends: [number, number][] = [
    [-1000, 0],
    [1000, 0],
  ];
  const [wkt] = await wktOf(shapes(3, [parts(CURVED_LINE, [ends], { after: curve.take(), curves: 1 })]));
  return lineOf(wkt);
}

const height = (line: readonly (readonly [number, number])[]): number => {
  const ys = line.map(([, y]) => y);
  const most = Math.max(...ys);
  const least = Math.min(...ys);
  return most > -least ? most : least;
};

test('circular arcs by a position on them, by their centre, and straight ones', async () => {
  const isNear = (line: [number, number][], wanted: number): void => {
    assert.ok(Math.abs(height(line) - wanted) < 1e-3, `${height(line)} for ${wanted}`);
    assert.deepEqual(
      [line[0], line.at(-1)],
      [
        [-1, 0],
        [1, 0],
      ],
    );
  };
  isNear(await segment(1, [0, 1], 0x80), 1);
  isNear(await segment(1, [0, -1], 0x188), -1);
  isNear(await segment(1, [0, 0], 0x10), 1);
  isNear(await segment(1, [0, 0], 0x18), -1);
  // Around a centre below: the short way is clockwise, the long way counter-clockwise.
  isNear(await segment(1, [0, -1], 0), Math.SQRT2 - 1);
  isNear(await segment(1, [0, -1], 0x8), -1 - Math.SQRT2);
  for (const flags of [0x1a0, 0x21, 0x40, 0x1]) isNear(await segment(1, [0, 1], flags), 0);
});

test('Bezier curves and elliptic arcs', async () => {
  assert.ok(Math.abs(height(await segment(4, [-1, 4, 1, 4], null)) - 3) < 0.01);
  // Axis 1 along x, the other one half as long.
  assert.ok(Math.abs(height(await segment(5, [0, 0, 0, 1, 0.5], 0x1000)) - 0.5) < 1e-3);
  assert.ok(Math.abs(height(await segment(5, [0, 0, 0, 1, 0.5], 0x800)) + 0.5) < 1e-3);
  // Numbers without a known meaning.
  assert.equal((await segment(5, [0, 0, 0, 1, 0.5], 0x200)).length, 2);
});

test('a circle of two equal positions is a ring, in the direction that it states', async () => {
  const twice: [number, number][] = [
    [1000, 0],
    [1000, 0],
  ];
  const circle = (flags: number): Uint8Array =>
    parts(51 + 2 ** 29, [twice], {
      curves: 1,
      after: new Bytes().varuint(0, 1).double(0, 0).uint(flags, 4).take(),
    });
  const { layers, findings } = await read([shapes(4, [circle(0), circle(8)])]);
  const areas = layers[0].rows.map(({ geometry }) => {
    const ring = lineOf((geometry ?? '').replace('((', '(').replace('))', ')'));
    return (
      ring.reduce((sum, [x, y], i) => sum + (i === 0 ? 0 : ring[i - 1][0] * y - x * ring[i - 1][1]), 0) / 2
    );
  });
  assert.ok(Math.abs(areas[0] + Math.PI) < 0.01 && Math.abs(areas[1] - Math.PI) < 0.01, String(areas));
  assert.deepEqual(
    findings.map(({ code, count }) => [code, count]),
    [['CURVES_STROKED', 2]],
  );
});

test('a spiral, whose form is not known, is straight and reported', async () => {
  const ends: [number, number][] = [
    [0, 0],
    [1000, 0],
  ];
  const spiral = parts(CURVED_LINE, [ends], {
    curves: 1,
    after: new Bytes().varuint(0, 3).double(1, 2, 3).take(),
  });
  const { layers, findings } = await read([shapes(3, [spiral])]);
  assert.equal(layers[0].rows[0].geometry, 'LINESTRING (0 0,1 0)');
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['FILEGDB_CURVE_STRAIGHT'],
  );
});

test('multipatches are read as polygons', async () => {
  const patch = (
    kinds: readonly number[],
    counts: readonly number[],
    xyz: readonly (readonly number[])[],
  ): Uint8Array => {
    const out = new Bytes().varuint(
      32,
      xyz.length,
      0,
      kinds.length,
      0,
      0,
      1,
      1,
      ...counts.slice(0, -1),
      ...kinds,
    );
    let last = [0, 0, 0];
    for (const [x, y, z] of xyz) {
      out.varint(x - last[0], y - last[1]);
      last = [x, y, z];
    }
    let height0 = 0;
    for (const [, , z] of xyz) {
      out.varint(z - height0);
      height0 = z;
    }
    return out.take();
  };
  const corners = [
    [0, 0, 0],
    [0, 1000, 0],
    [1000, 0, 1000],
    [1000, 1000, 1000],
    [0, 0, 0],
    [9000, 0, 0],
  ];
  const { layers, findings } = await read([
    shapes(
      9,
      [patch([0], [4], corners.slice(0, 4)), patch([1], [4], corners.slice(0, 4)), patch([6], [6], corners)],
      { hasZ: true },
    ),
  ]);
  assert.deepEqual(
    layers[0].rows.map(({ geometry }) => geometry?.split('((').length),
    [3, 3, 3],
  );
  assert.equal(findings.find(({ code }) => code === 'MULTIPATCH_TO_POLYGONS')?.count, 3);
});

test('times: before 1900, with milliseconds, in UTC, with an offset, days and times of day, and no times at all', async () => {
  const fields = [
    OBJECT_ID,
    { name: 'when', type: 5 },
    { name: 'day', type: 14 },
    { name: 'time', type: 15 },
    { name: 'stamp', type: 16 },
  ];
  const stamp = (days: number, minutes: number): Uint8Array =>
    new Bytes().double(days).uint(minutes, 2).take();
  const rows: RawValue[][] = [
    [25_569, 25_569, 0.5, stamp(25_569.5, 60)],
    [-0.25, -1, 0, stamp(25_569, -570)],
    [25_569 + 1.5 / 86_400, 60_000, 86_399.5 / 86_400, stamp(0, 0)],
    [Number.NaN, 1e9, 7, stamp(0, 5000)],
    [null, null, null, null],
  ];
  const table: RawTable = { name: 'times', fields, rows };
  const { layers, findings } = await read([table]);
  assert.deepEqual(
    layers[0].rows.map(({ properties }) => Object.values(properties)),
    [
      ['1970-01-01T00:00:00', '1970-01-01', '12:00:00', '1970-01-01T12:00:00+01:00'],
      ['1899-12-29T18:00:00', '1899-12-29', '00:00:00', '1970-01-01T00:00:00-09:30'],
      ['1970-01-01T00:00:01.500', '2064-04-08', '23:59:59.500', '1899-12-30T00:00:00+00:00'],
      [null, null, null, null],
      [null, null, null, null],
    ],
  );
  assert.deepEqual(
    findings.filter(({ code }) => code === 'VALUE_INVALID').map(({ count }) => count),
    [1, 1, 1, 1],
  );
  const utc = { ...table, definition: '<DETableInfo><IsTimeInUTC>true</IsTimeInUTC></DETableInfo>' };
  const [{ rows: inUtc }] = (await read([utc])).layers;
  assert.equal(inUtc[0].properties.when, '1970-01-01T00:00:00Z');
});

test('GUIDs, texts in UTF-16, names of any letters, and texts that are not UTF-8', async () => {
  const guid = Uint8Array.of(
    0x78,
    0x56,
    0x34,
    0x12,
    0xbc,
    0x9a,
    0xf0,
    0xde,
    0x12,
    0x34,
    0x56,
    0x78,
    0x90,
    0xab,
    0xcd,
    0xef,
  );
  const fields = [
    OBJECT_ID,
    { name: 'Größe 漢字', type: 4, width: 10 },
    { name: 'guid', type: 10 },
    { name: 'xml', type: 12 },
  ];
  const wide = await read([{ name: 'wide', fields, rows: [['été 漢字', guid, '<ä/>']], isUtf16: true }]);
  assert.deepEqual(wide.layers[0].rows[0].properties, {
    'Größe 漢字': 'été 漢字',
    guid: '{12345678-9ABC-DEF0-1234-567890ABCDEF}',
    xml: '<ä/>',
  });
  assert.equal(wide.layers[0].source.encoding, 'UTF-16LE');
  const broken = await read([
    { name: 'broken', fields: fields.slice(0, 2), rows: [['gut'], [Uint8Array.of(0x61, 0xff)]] },
  ]);
  assert.equal(broken.layers[0].rows[1].properties['Größe 漢字'], 'a\ufffd');
  assert.equal(broken.findings.find(({ code }) => code === 'TEXT_REPLACED')?.count, 1);
});

const DOMAIN = (name: string, type: string, values: readonly (readonly [string, string])[]): string =>
  `<typens:GPCodedValueDomain2 xmlns:typens="x"><DomainName>${name}</DomainName><CodedValues>${values
    .map(
      ([code, label]) =>
        `<CodedValue><Name>${label}</Name><Code xsi:type="xs:${type}">${code}</Code></CodedValue>`,
    )
    .join('')}</CodedValues></typens:GPCodedValueDomain2>`;

const SUBTYPED: RawTable = {
  name: 'pipes',
  fields: [
    OBJECT_ID,
    { name: 'kind', type: 1 },
    { name: 'material', type: 0 },
    { name: 'state', type: 4 },
    { name: 'SHAPE', type: 7 },
  ],
  rows: [
    [1, 1, 'A', null],
    [2, 1, 'B', null],
    [2, 9, null, null],
    [3, 1, ' A', null],
  ],
  geometryType: 1,
  definition: `<typens:DEFeatureClassInfo><GPFieldInfoExs>
    <GPFieldInfoEx><Name>state</Name><DomainName>States</DomainName></GPFieldInfoEx>
    <GPFieldInfoEx><Name>material</Name><DomainName>Steel</DomainName></GPFieldInfoEx></GPFieldInfoExs>
    <SubtypeFieldName>kind</SubtypeFieldName><Subtypes>
    <Subtype><SubtypeName>Water</SubtypeName><SubtypeCode>1</SubtypeCode></Subtype>
    <Subtype><SubtypeName>Gas</SubtypeName><SubtypeCode>2</SubtypeCode><FieldInfos><SubtypeFieldInfo>
      <FieldName>material</FieldName><DomainName>Plastic</DomainName></SubtypeFieldInfo></FieldInfos></Subtype>
    </Subtypes></typens:DEFeatureClassInfo>`,
};
const ITEMS = {
  States: DOMAIN('States', 'string', [['A', 'in use'], ['B', 'planned &amp; paid']]), // biome-ignore format: one line each
  Steel: DOMAIN('Steel', 'short', [['1', 'steel']]),
  Plastic: DOMAIN('Plastic', 'short', [['1', 'PE']]),
  links: `<DERelationshipClassInfo><OriginClassNames><Name>pipes</Name></OriginClassNames><DestinationClassNames><Name>valves</Name></DestinationClassNames></DERelationshipClassInfo>`,
  broken: '<a><b>',
};

test('coded values and subtypes as codes, as texts, or both', async () => {
  const rowsOf = async (domains: string): Promise<unknown[][]> => {
    const { layers } = await read([SUBTYPED], { items: ITEMS, options: { domains } });
    return layers[0].rows.map(({ properties }) => Object.values(properties));
  };
  assert.deepEqual(await rowsOf('code'), [
    [1, 1, 'A'],
    [2, 1, 'B'],
    [2, 9, null],
    [3, 1, ' A'],
  ]);
  assert.deepEqual(await rowsOf('text'), [
    ['Water', 'steel', 'in use'],
    ['Gas', 'PE', 'planned & paid'],
    ['Gas', '9', null],
    ['3', 'steel', 'in use'],
  ]);
  assert.deepEqual(await rowsOf('both'), [
    [1, 'Water', 1, 'steel', 'A', 'in use'],
    [2, 'Gas', 1, 'PE', 'B', 'planned & paid'],
    [2, 'Gas', 9, '9', null, null],
    [3, '3', 1, 'steel', ' A', 'in use'],
  ]);
  const { findings } = await read([SUBTYPED], { items: ITEMS, options: { domains: 'text' } });
  assert.deepEqual(
    findings
      .filter(({ code }) => code === 'FILEGDB_CODE_UNKNOWN')
      .map(({ params, count }) => [params.field, count]),
    [
      ['kind', 1],
      ['material', 1],
    ],
  );
});

test('what is not read is reported: relationship classes, and descriptions that are no XML', async () => {
  const { findings } = await read([SUBTYPED], { items: ITEMS });
  const messages = findings.map(({ message }) => message).join('\n');
  assert.match(messages, /relationship class 'links' between 'pipes', 'valves'/);
  assert.match(messages, /description of 'broken' in the catalogue cannot be read/);
  assert.match(messages, /have the codes.*'kind', 'material', 'state'/);
});

test('a table without geometries is read alone, and skipped beside feature classes', async () => {
  const table: RawTable = { name: 'owners', fields: [OBJECT_ID, { name: 'a', type: 4 }], rows: [['x']] };
  const alone = await read([table]);
  assert.deepEqual(
    alone.layers.map(({ source }) => [source.name, source.isTable]),
    [['owners', true]],
  );
  const beside = await read([table, shapes(1, [])]);
  assert.deepEqual(
    beside.layers.map(({ source }) => source.name),
    ['shapes'],
  );
  assert.equal(beside.findings.find(({ code }) => code === 'LAYER_SKIPPED')?.params.layer, 'owners');
});

test('deleted rows leave gaps in the numbers, which are the ids', async () => {
  const table: RawTable = {
    name: 'a',
    fields: [OBJECT_ID, { name: 'n', type: 1 }],
    rows: [[1], null, [3], null, null, [6]],
  };
  const { layers } = await read([table]);
  assert.deepEqual(
    layers[0].rows.map(({ id }) => Number(id)),
    [1, 3, 6],
  );
  assert.equal(layers[0].source.featureCount, 3);
});

test('reads a folder, a zip with the folder at any depth, and a zip in a zip', async () => {
  const files = rawGdb([shapes(1, [new Bytes().varuint(1, 1001, 1001).take()])]);
  using workspace = makeWorkspace();
  const folder = join(workspace.path, 'raw.gdb');
  mkdirSync(folder);
  writeRawGdb(folder, files);
  const zip = rawGdbZip(files, 'data/2024/raw.gdb');
  writeFileSync(join(workspace.path, 'deep.zip'), zip);
  const { storedZip } = await import('../../../test/support/zip-members.ts');
  writeFileSync(join(workspace.path, 'twice.zip'), storedZip([{ name: 'in/raw.gdb.zip', bytes: zip }]));
  for (const name of ['raw.gdb', 'deep.zip', 'twice.zip']) {
    const { layers } = await readFileLayers(reader, join(workspace.path, name));
    assert.deepEqual(
      layers.map(({ rows }) => rows[0].geometry),
      ['POINT (1 1)'],
      name,
    );
  }
});

test('two geodatabases in one archive, other files, and an empty folder are errors that say so', async () => {
  const files = rawGdb([shapes(1, [])]);
  const { storedZip } = await import('../../../test/support/zip-members.ts');
  const two = storedZip(
    ['a.gdb', 'b.gdb'].flatMap((folder) =>
      [...files].map(([name, bytes]) => ({ name: `${folder}/${name}`, bytes })),
    ),
  );
  await assert.rejects(
    readBytesLayers(reader, two, { name: 'two.zip' }),
    /2 geodatabases \('a.gdb', 'b.gdb'\)/,
  );
  const shapefile = storedZip([{ name: 'a.shp', bytes: Uint8Array.of(1) }]);
  await assert.rejects(
    readBytesLayers(reader, shapefile, { name: 'a.gdb.zip' }),
    /it looks like a zip archive with a shapefile/,
  );
  await assert.rejects(
    readBytesLayers(reader, 'text', { name: 'a.gdb' }),
    /a\.gdb is not a file geodatabase/,
  );
  using workspace = makeWorkspace();
  await assert.rejects(readFileLayers(reader, workspace.path), /an empty folder/);
});

test('a compressed table is named, with what to do; the others can be read', async () => {
  const files = rawGdb([
    { ...shapes(1, []), name: 'packed' },
    { ...shapes(1, []), name: 'plain' },
  ]);
  files.set('a00000003.gdbtable.cdf', Uint8Array.of(1)).delete('a00000003.gdbtable');
  const zip = rawGdbZip(files);
  await assert.rejects(
    readBytesLayers(reader, zip, { name: 'a.gdb.zip' }),
    /table 'packed' is compressed \(CDF\).*uncompress/,
  );
  files
    .set('a00000003.gdbtable', new TextEncoder().encode(`<?xml version="1.0"?><db_schemas>${' '.repeat(60)}`))
    .delete('a00000003.gdbtable.cdf');
  await assert.rejects(
    readBytesLayers(reader, rawGdbZip(files), { name: 'a.gdb.zip' }),
    /'packed' is compressed/,
  );
});

test('damage is an error with table, row and offset', async () => {
  const line = parts(3, [
    [
      [0, 0],
      [1000, 1000],
    ],
  ]);
  const cases: readonly (readonly [blob: Uint8Array, reason: RegExp])[] = [
    [line.subarray(0, 7), /table 'shapes', row 2, at byte \d+ of .*: its geometry (?:ends too early|states)/],
    [new Bytes().varuint(3, 2 ** 40, 1).take(), /states 1099511627776 positions, and has/],
    [
      new Bytes().varuint(3, 4, 9, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0).take(),
      /states 9 parts with 4 positions/,
    ],
    [new Bytes().varuint(77, 1, 1).take(), /has the type 77, which is not known/],
    [new Uint8Array(12).fill(255), /an integer of more than 64 bits/],
    [parts(CURVED_LINE, [[[0, 0], [1, 1]]], { curves: 1, after: new Bytes().varuint(7, 1).take() }), /a curve begins at position 7 of 2/], // biome-ignore format: one line each
    [parts(CURVED_LINE, [[[0, 0], [1, 1]]], { curves: 1, after: new Bytes().varuint(0, 9).take() }), /a curve has the type 9/], // biome-ignore format: one line each
  ];
  for (const [blob, reason] of cases) await assert.rejects(read([shapes(3, [line, blob])]), reason);
});

test('damaged heads, indexes and lengths are refused before memory is taken', async () => {
  const files = rawGdb([shapes(1, [new Bytes().varuint(1, 1001, 1001).take()])]);
  const changed = async (name: string, change: (view: DataView<ArrayBuffer>) => void): Promise<ReadInput> => {
    const copy = new Map(files);
    const bytes = Uint8Array.from(files.get(name) ?? []);
    change(new DataView(bytes.buffer));
    copy.set(name, bytes);
    return readBytesLayers(reader, rawGdbZip(copy), { name: 'a.gdb.zip' });
  };
  const table = 'a00000003.gdbtable';
  const index = 'a00000003.gdbtablx';
  const rowAt = new DataView((files.get(index) ?? new Uint8Array()).buffer as ArrayBuffer).getUint32(
    16,
    true,
  );
  const cases: readonly (readonly [string, (view: DataView<ArrayBuffer>) => void, RegExp])[] = [
    [table, (view) => view.setUint32(0, 9, true), /begins with 9/],
    [table, (view) => view.setUint32(24, 2 ** 31, true), /it was cut off on its way/],
    [table, (view) => view.setUint32(36, 2 ** 31, true), /description of its fields/],
    [table, (view) => view.setUint32(40, 2 ** 31, true), /description of its fields/],
    [table, (view) => view.setInt32(rowAt, 2 ** 30, true), /row 1.*states 1073741824 bytes/],
    [index, (view) => view.setUint32(4, 2 ** 31, true), /states 2147483648 blocks/],
    [index, (view) => view.setUint32(12, 9, true), /offsets of 9 bytes/],
    [index, (view) => view.setUint32(16, 2 ** 31, true), /row 1.*the row index says that it is there/],
    [index, (view) => view.setUint32(16, 8, true), /row 1/],
  ];
  for (const [name, change, reason] of cases) await assert.rejects(changed(name, change), reason);
  // Marked as deleted, but still in the index.
  const { layers, findings } = await changed(table, (view) =>
    view.setInt32(rowAt, -view.getInt32(rowAt, true), true),
  );
  assert.equal(layers[0].rows.length, 0);
  assert.equal(findings.find(({ code }) => code === 'FILEGDB_ROW_DELETED')?.count, 1);
});

test('rows that overlap are refused: a small file must not become a large one', async () => {
  const files = rawGdb([
    { name: 'a', fields: [OBJECT_ID, { name: 't', type: 4 }], rows: [['long text'], ['b']] },
  ]);
  const bytes = Uint8Array.from(files.get('a00000003.gdbtablx') ?? []);
  bytes.copyWithin(21, 16, 21);
  files.set('a00000003.gdbtablx', bytes);
  await assert.rejects(
    readBytesLayers(reader, rawGdbZip(files), { name: 'a.gdb.zip' }),
    /row 2.*begins within another row/,
  );
});

test('a geometry has at most the positions of the limit, and no more than its bytes can hold', async () => {
  const line = parts(3, [[[1, 1], [2, 2], [3, 3]]]); // biome-ignore format: one line
  const points = (stated: number, held: number): Uint8Array => new Bytes().varuint(8, stated, 0, 0, 1, 1).varint(...new Array<number>(2 * held).fill(1)).take(); // biome-ignore format: one line
  const withLimit = (table: RawTable, coordinatesPerFeature: number) =>
    read([table], { limits: { ...DEFAULT_INPUT_LIMITS, coordinatesPerFeature } });
  for (const [table, count] of [
    [shapes(3, [line]), 3],
    [shapes(2, [points(4, 4)]), 4],
  ] as const) {
    await assert.doesNotReject(withLimit(table, count));
    await assert.rejects(withLimit(table, count - 1), { code: 'LIMIT_EXCEEDED' });
  }
  await assert.rejects(
    read([shapes(2, [points(1_000_000, 4)])]),
    /states 1000000 positions, and has \d+ bytes/,
  );
});

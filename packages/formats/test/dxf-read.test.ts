import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { binaryDrawing, EOF, section, type Tag, textDrawing } from '../../../test/support/dxf-text.ts';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import {
  type ReadInput,
  type ReadSettings,
  readBytesLayers,
  readFileLayers,
} from '../../../test/support/read-layers.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { reader } from '../src/dxf/read.ts';

const NAME = 'plan.dxf';

function read(bytes: string | Uint8Array, settings: ReadSettings = {}): Promise<ReadInput> {
  return readBytesLayers(reader, bytes, { ...settings, name: NAME });
}

async function rowsOf(bytes: string | Uint8Array, settings: ReadSettings = {}): Promise<readonly unknown[]> {
  return (await read(bytes, settings)).layers[0].rows;
}

/** The text of a finding and its first location. */
async function notesOf(bytes: string | Uint8Array, settings: ReadSettings = {}): Promise<string[]> {
  return (await read(bytes, settings)).findings.map(
    ({ code, count, places }) => `${code} ${count} ${JSON.stringify(places[0] ?? null)}`,
  );
}

function refusedWith(code: string, message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof GeomillError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  };
}

const header = (version: string, codePage: string | null = null): Tag[] =>
  section('HEADER', [
    [9, '$ACADVER'],
    [1, version],
    ...(codePage === null
      ? []
      : ([
          [9, '$DWGCODEPAGE'],
          [3, codePage],
        ] as Tag[])),
  ]);

const line = (handle: string, x: number, layer = '0'): Tag[] => [
  [0, 'LINE'],
  [5, handle],
  [8, layer],
  [10, x],
  [20, 0.5],
  [30, 0],
  [11, x + 1],
  [21, -1.25],
  [31, 0],
];

const polyline = (handle: string, x: number): Tag[] => [
  [0, 'POLYLINE'],
  [5, handle],
  [8, 'walls'],
  [66, 1],
  [10, 0],
  [20, 0],
  [30, 0],
  [70, 8],
  ...[0, 1, 2].flatMap((i): Tag[] => [
    [0, 'VERTEX'],
    [8, 'walls'],
    [10, x + i],
    [20, i * i],
    [30, 7],
    [70, 32],
  ]),
  [0, 'SEQEND'],
  [8, 'walls'],
];

const DRAWING: readonly Tag[] = [
  ...header('AC1009'),
  ...section('TABLES', [
    [0, 'TABLE'],
    [2, 'LAYER'],
    [70, 1],
    [0, 'LAYER'],
    [2, 'walls'],
    [70, 0],
    [62, 1],
    [6, 'DASHED'],
    [0, 'ENDTAB'],
  ]),
  ...section('ENTITIES', [
    ...line('A1', 0),
    ...polyline('A2', 10),
    ...line('A3', 20, 'walls'),
    ...polyline('A4', 30),
    ...line('A5', 40),
  ]),
  EOF,
];

test('accepts LF, CR LF and CR, and blanks around group codes', async () => {
  const expected = await rowsOf(textDrawing(DRAWING));
  assert.equal(expected.length, 5);
  for (const eol of ['\r\n', '\r']) assert.deepEqual(await rowsOf(textDrawing(DRAWING, eol)), expected);
  const odd = DRAWING.map(([code, value]) => ` \t${code} \n${value}\n`).join('');
  assert.deepEqual(await rowsOf(odd), expected);
  assert.deepEqual(await rowsOf(`\ufeff${textDrawing(DRAWING)}`), expected);
});

test('accepts comments between entities and before the first section', async () => {
  const comment: Tag = [999, 'SECTION'];
  const tags = DRAWING.flatMap((tag): Tag[] => (tag[0] === 0 ? [comment, tag] : [tag]));
  assert.deepEqual(await rowsOf(textDrawing(tags)), await rowsOf(textDrawing(DRAWING)));
});

test('reads binary drawings with codes of one or two bytes like text', async () => {
  const expected = await rowsOf(textDrawing(DRAWING));
  assert.deepEqual(await rowsOf(binaryDrawing(DRAWING, 1)), expected);
  assert.deepEqual(await rowsOf(binaryDrawing(DRAWING, 2)), expected);
});

test('reads the same features and lines of findings for any partition boundaries', async () => {
  const bad: Tag[] = [
    [0, 'CIRCLE'],
    [5, 'BAD'],
    [10, 1],
    [20, 1],
  ];
  const tags = [
    ...header('AC1009'),
    ...section('ENTITIES', [
      ...DRAWING.slice(19, -2),
      ...bad,
      ...polyline('B1', 3),
      ...bad,
      ...line('B2', 5),
    ]),
    EOF,
  ];
  const expected = await read(textDrawing(tags));
  const bytes: (string | Uint8Array)[] = [textDrawing(tags), textDrawing(tags, '\r\n')];
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 1200 }), fc.nat(1), async (partitionBytes, which) => {
      const found = await read(bytes[which], { partitionBytes });
      assert.deepEqual(found.layers[0].rows, expected.layers[0].rows);
      assert.equal(found.layers[0].lineCount, expected.layers[0].lineCount);
    }),
    { numRuns: 100 },
  );
  for (const codeBytes of [1, 2] as const)
    for (const partitionBytes of [1, 50, 333])
      assert.deepEqual(
        await rowsOf(binaryDrawing(tags, codeBytes), { partitionBytes }),
        expected.layers[0].rows,
      );
});

test('begins a partition with a feature, never with the vertices of one or a further entity of our own', async () => {
  const own = (handle: string, mark: string, role: string): Tag[] => [
    ...line(handle, 1),
    [1001, 'GEOMILL'],
    [1000, mark],
    [1000, role],
  ];
  const tags = section('ENTITIES', [
    ...own('1', 'feature:MultiLineString', 'line'),
    ...own('2', 'part', 'line'),
    ...own('3', 'part', 'line'),
    ...line('4', 9),
    ...polyline('5', 3),
  ]);
  const { layers } = await read(textDrawing([...tags, EOF]), { partitionBytes: 1 });
  assert.deepEqual(
    layers[0].batches.map(({ rowCount }) => rowCount),
    [1, 1, 1],
  );
});

test('accepts sections in any order and repeatedly', async () => {
  const tables = DRAWING.slice(5, 17);
  const tags = [
    ...section('ENTITIES', line('A1', 0, 'walls')),
    ...section('THUMBNAILIMAGE', [
      [90, 3],
      [310, '010203'],
    ]),
    ...tables,
    ...section('ENTITIES', []),
    ...section('ENTITIES', line('A2', 5)),
    ...header('AC1009'),
    EOF,
  ];
  const rows = (await rowsOf(textDrawing(tags))) as { properties: Record<string, unknown> }[];
  assert.deepEqual(
    rows.map(({ properties }) => [properties.EntityHandle, properties.Color]),
    [
      ['A1', '#ff0000'],
      ['A2', '#000000'],
    ],
  );
});

test('reads a drawing with only an empty section of entities', async () => {
  assert.deepEqual(await rowsOf('0\nSECTION\n2\nENTITIES\n0\nENDSEC\n0\nEOF'), []);
});

test('reports a missing EOF and reads the whole drawing', async () => {
  const text = textDrawing(DRAWING.slice(0, -1));
  assert.equal((await rowsOf(text)).length, 5);
  assert.deepEqual(await notesOf(text), ['EOF_MISSING 1 null']);
  assert.deepEqual(await notesOf(`${text}  0\r\nEOF`), []);
});

test('rejects a truncated drawing or reads it whole', async () => {
  const text = textDrawing(DRAWING);
  const whole = text.lastIndexOf('ENDSEC') + 'ENDSEC'.length;
  const expected = await rowsOf(text);
  for (let length = 0; length < text.length; length += 7) {
    const cut = text.slice(0, length);
    if (length >= whole) assert.deepEqual(await rowsOf(cut), expected, `${length}`);
    else
      await assert.rejects(rowsOf(cut), (error) => {
        assert.ok(error instanceof GeomillError, `${length}: ${error}`);
        return error.fault === 'user';
      });
  }
});

test('rejects a truncated binary drawing or reads it whole', async () => {
  for (const codeBytes of [1, 2] as const) {
    const bytes = binaryDrawing(DRAWING, codeBytes);
    const whole = Buffer.from(bytes).lastIndexOf('ENDSEC') + 'ENDSEC\0'.length;
    for (let length = 0; length < bytes.length; length += 7) {
      const cut = bytes.subarray(0, length);
      if (length >= whole) assert.equal((await rowsOf(cut)).length, 5);
      else await assert.rejects(rowsOf(cut), GeomillError);
    }
  }
});

test('names the line if a drawing ends within its entities', async () => {
  const text = textDrawing(DRAWING).slice(0, 700);
  await assert.rejects(
    read(text),
    refusedWith('DXF_TRUNCATED', /plan\.dxf ends at line \d+, inside section ENTITIES/),
  );
});

test('rejects a file that is not DXF and describes it', async () => {
  const cases: [string | Uint8Array, RegExp][] = [
    ['AC1032\0\0\0\0\0', /it looks like a DWG/],
    ['PK\x03\x04....', /a zip archive/],
    ['{"type":"FeatureCollection"}', /JSON/],
    ['<kml/>', /looks like KML/],
    ['<svg/>', /XML/],
    ['%PDF-1.7', /a PDF/],
    ['EXTENTS,1\n0,8', /before release 2/],
    ['id,name\n1,a\n', /another kind of text/],
    [Uint8Array.of(0xff, 0xfe, 0x30, 0x00), /UTF-16/],
    ['AutoCAD Binary DXF\n\x1a\0', /damaged, as by a transfer in text mode/],
  ];
  for (const [bytes, message] of cases)
    await assert.rejects(read(bytes), refusedWith('INPUT_WRONG_FORMAT', message));
  await assert.rejects(read(''), refusedWith('INPUT_EMPTY', /empty/));
  await assert.rejects(read('1\n2\n3\n'), refusedWith('DXF_NO_ENTITIES', /no section/));
  await assert.rejects(
    read(textDrawing([...header('AC1032'), EOF])),
    refusedWith('DXF_NO_ENTITIES', /only HEADER/),
  );
});

test('skips only an entity with invalid tags and names it', async () => {
  const text = textDrawing(DRAWING).replace(' 21\n-1.25\n', 'oops\n-1.25\n');
  const { layers, findings } = await read(text);
  assert.equal(layers[0].rows.length, 4);
  assert.deepEqual(
    findings.map(({ code, message, places }) => [code, message, places]),
    [
      [
        'ENTITY_SKIPPED',
        "LINE entities were skipped: expected a group code but found 'oops'",
        [{ line: 39, id: 'A1' }],
      ],
    ],
  );
});

test('reads texts in the declared encoding, from AC1021 on in UTF-8', async () => {
  const drawing = (version: string, codePage: string | null): string =>
    textDrawing([...header(version, codePage), ...section('ENTITIES', line('A1', 0, '@')), EOF]);
  const layerOf = async (text: string, layer: Uint8Array, settings: ReadSettings = {}): Promise<unknown> => {
    const [before, after] = text.split('@');
    const bytes = Buffer.concat([Buffer.from(before), layer, Buffer.from(after)]);
    const [row] = (await rowsOf(bytes, settings)) as { properties: Record<string, unknown> }[];
    return row.properties.Layer;
  };
  const utf8 = Buffer.from('Straße 道');
  assert.equal(await layerOf(drawing('AC1032', 'ANSI_1252'), utf8), 'Straße 道');
  assert.equal(await layerOf(drawing('AC1027', 'ANSI_1252'), Buffer.from('Stra\xdfe', 'latin1')), 'Straße');
  assert.equal(await layerOf(drawing('AC1015', 'ANSI_1251'), Uint8Array.of(0xc4, 0xee, 0xec)), 'Дом');
  assert.equal(await layerOf(drawing('AC1015', 'ANSI_932'), Uint8Array.of(0x93, 0xb9, 0x95, 0x5c)), '道表');
  assert.equal(await layerOf(drawing('AC1009', 'dos850'), Uint8Array.of(0x53, 0xe1)), 'Sß');
  assert.equal(await layerOf(drawing('AC1009', null), utf8), 'Straße 道');
  assert.equal(await layerOf(drawing('AC1009', null), Uint8Array.of(0x53, 0xdf)), 'Sß');
  const encoding = { options: { encoding: 'cp1250' } };
  assert.equal(await layerOf(drawing('AC1032', 'ANSI_1252'), Uint8Array.of(0xe8), encoding), 'č');
  assert.equal(await layerOf(drawing('AC1015', 'ANSI_1252'), Buffer.from('\\U+9053 \\M+193B9')), '道 道');
  await assert.rejects(
    layerOf(drawing('AC1032', null), utf8, { options: { encoding: 'klingon' } }),
    refusedWith('TEXT_ENCODING_UNKNOWN', /klingon/),
  );
});

test('reads texts that are not valid UTF-8 in the code page and reports them', async () => {
  const text = textDrawing([
    ...header('AC1032', 'ANSI_1251'),
    ...section('ENTITIES', line('A1', 0, 'Ж')),
    EOF,
  ]);
  const bytes = Buffer.from(text.replace('Ж', '\xc6'), 'latin1');
  assert.deepEqual(await notesOf(bytes), ['TEXT_BY_CODE_PAGE 1 null']);
});

test('reads inactive layouts, which are stored in blocks, if all layouts are requested', async () => {
  const layoutBlock = (name: string, entities: Tag[]): Tag[] => [
    [0, 'BLOCK'],
    [2, name],
    [70, 0],
    [10, 0],
    [20, 0],
    ...entities,
    [0, 'ENDBLK'],
  ];
  const inPaper = line('P1', 1);
  inPaper.splice(2, 0, [67, 1]);
  const tags = [
    ...section('BLOCKS', [
      ...layoutBlock('*Model_Space', []),
      ...layoutBlock('*Paper_Space', []),
      ...layoutBlock('*Paper_Space0', line('P2', 2)),
      ...layoutBlock('door', line('D1', 3)),
    ]),
    ...section('ENTITIES', [...line('M1', 4), ...inPaper]),
    EOF,
  ];
  const handles = async (layouts: string, partitionBytes: number): Promise<unknown[]> => {
    const rows = await rowsOf(textDrawing(tags), { options: { layouts }, partitionBytes });
    return (rows as { properties: Record<string, unknown> }[]).map(({ properties }) => [
      properties.EntityHandle,
      properties.PaperSpace ?? null,
    ]);
  };
  assert.deepEqual(await handles('model', 1 << 20), [['M1', null]]);
  for (const partitionBytes of [1, 1 << 20])
    assert.deepEqual(await handles('all', partitionBytes), [
      ['P2', 1],
      ['M1', null],
      ['P1', 1],
    ]);
  const { layers } = await read(textDrawing(tags), { options: { layouts: 'all' } });
  assert.equal(layers[0].lineCount < textDrawing(tags).split('\n').length, true);
});

test('names a broken entity of a block once, however often the block is inserted', async () => {
  const insert: Tag[] = [
    [0, 'INSERT'],
    [5, 'I1'],
    [2, 'door'],
    [10, 0],
    [20, 0],
  ];
  const tags = [
    ...section('BLOCKS', [
      [0, 'BLOCK'],
      [2, 'door'],
      [70, 0],
      [10, 0],
      [20, 0],
      ...line('D1', 3),
      ...line('D2', 4),
      [0, 'ENDBLK'],
    ]),
    ...section('ENTITIES', [...insert, ...insert, ...insert]),
    EOF,
  ];
  const whole = textDrawing(tags);
  const broken = whole.replace(/(D2\n(?:.*\n)*?) 10\n/, '$1ten\n');
  assert.notEqual(broken, whole);
  for (const partitionBytes of [1, 1 << 20]) {
    const { layers, findings } = await read(broken, { partitionBytes });
    assert.equal(layers[0].rows.length, 3);
    assert.deepEqual(
      findings.map(({ code, count, params, places }) => [code, count, params.type, places[0].id]),
      [['ENTITY_SKIPPED', 1, 'LINE', 'D2']],
    );
  }
});

/** Two INSERTs of a block, the first with an extension dictionary that leads to a clip. */
function clippedDrawing(isOn: 0 | 1): readonly Tag[] {
  const insert = (handle: string, dictionary: string): Tag[] => [
    [0, 'INSERT'],
    [5, handle],
    [102, '{ACAD_XDICTIONARY'],
    [360, dictionary],
    [102, '}'],
    [8, '0'],
    [2, 'door'],
    [10, 0],
    [20, 0],
  ];
  const dictionary = (handle: string, name: string, entry: string): Tag[] => [
    [0, 'DICTIONARY'],
    [5, handle],
    [330, '1F'],
    [280, 1],
    [3, name],
    [360, entry],
  ];
  return [
    ...section('BLOCKS', [
      [0, 'BLOCK'],
      [2, 'door'],
      [70, 0],
      [10, 0],
      [20, 0],
      ...line('D1', 3),
      [0, 'ENDBLK'],
    ]),
    ...section('ENTITIES', [...insert('I1', 'A0'), ...insert('I2', 'B0')]),
    ...section('OBJECTS', [
      ...dictionary('0A0', 'ACAD_FILTER', 'A1'),
      ...dictionary('A1', 'SPATIAL', 'a2'),
      ...dictionary('B0', 'ELSE', 'B1'),
      [0, 'SPATIAL_FILTER'],
      [5, 'A2'],
      [70, 2],
      [10, 0],
      [20, 0],
      [10, 1],
      [20, 1],
      [71, isOn],
    ]),
    EOF,
  ];
}

test('reads clipped INSERTs whole and reports their number once', async () => {
  for (const bytes of [textDrawing(clippedDrawing(1)), binaryDrawing(clippedDrawing(1), 2)]) {
    const { layers, findings } = await read(bytes, { partitionBytes: 1 });
    assert.equal(layers[0].rows.length, 2);
    assert.deepEqual(
      findings.map(({ code, count, places }) => [code, count, places[0].id]),
      [['CLIP_IGNORED', 1, 'I1']],
    );
  }
});

test('does not report a clip that is off', async () => {
  assert.deepEqual(await notesOf(textDrawing(clippedDrawing(0))), []);
});

test('reports the unit of a drawing and the tolerance of chords', async () => {
  const tags = [
    ...section('HEADER', [
      [9, '$INSUNITS'],
      [70, 2],
      [9, '$EXTMIN'],
      [10, 0],
      [20, 0],
      [30, 0],
      [9, '$EXTMAX'],
      [10, 100],
      [20, 50],
      [30, 0],
    ]),
    ...section('ENTITIES', [
      [0, 'CIRCLE'],
      [8, '0'],
      [10, 0],
      [20, 0],
      [40, 40],
    ]),
    EOF,
  ];
  const positions = async (options: Record<string, unknown>, own: readonly Tag[] = tags): Promise<number> => {
    const { layers } = await read(textDrawing(own), { options });
    return layers[0].batches[0].geometry.coordinates.length / 2;
  };
  const { layers } = await read(textDrawing(tags));
  assert.equal(layers[0].source.metresPerUnit, 0.3048);
  // A chord height of 0.01 at a radius of 40: steps of 2 acos(1 - 0.00025).
  assert.equal(await positions({}), 1 + Math.ceil((2 * Math.PI) / (2 * Math.acos(1 - 0.00025))));
  assert.equal(await positions({ curve_tolerance: 1e6 }), 91);
  assert.equal(await positions({}, tags.slice(12)), 91);
});

test('applies the limits on features and on positions', async () => {
  const path = join(import.meta.dirname, '../../../test/fixtures/dxf/r12.dxf');
  const { layers } = await readFileLayers(reader, path);
  const { source } = layers[0];
  for (const limit of [{ features: 3 }, { coordinatesPerFeature: 2 }])
    assert.throws(
      () =>
        reader.readPartition(source, source.partitions[0], {
          fields: null,
          limits: { ...DEFAULT_INPUT_LIMITS, ...limit },
        }),
      refusedWith('LIMIT_EXCEEDED', /the number of (features|positions)/),
    );
});

test('truncates fractions of integers: colours, layers, blocks, units', async () => {
  const point = (color: string, layer: string): Tag[] => [
    [0, 'POINT'],
    [8, layer],
    [62, color],
    [10, 1],
    [20, 2],
  ];
  const drawing = textDrawing([
    ...section('HEADER', [
      [9, '$INSUNITS'],
      [70, '6.0'],
    ]),
    ...section('TABLES', [
      [0, 'TABLE'],
      [2, 'LAYER'],
      [0, 'LAYER'],
      [2, 'frozen'],
      [70, '1.7'],
      [62, '3.2'],
    ]),
    ...section('BLOCKS', [
      [0, 'BLOCK'],
      [2, 'B'],
      [70, '0.4'],
      [10, 0],
      [20, 0],
      ...point('5.5', '0'),
      [0, 'ENDBLK'],
    ]),
    ...section('ENTITIES', [
      ...point('-90.1', '0'),
      ...point('1.9', '0'),
      ...point('256.9', 'frozen'),
      // From the second use on a block's entities are kept in memory.
      ...[1, 2, 3].flatMap((x): Tag[] => [
        [0, 'INSERT'],
        [2, 'B'],
        [10, x],
        [20, 0],
      ]),
    ]),
    EOF,
  ]);
  const { layers, findings } = await read(drawing);
  const fields = layers[0].rows.map((row) => (row as { properties: Record<string, unknown> }).properties);
  assert.deepEqual(
    fields.map(({ Color }) => Color),
    ['#00ff00', '#ff0000', '#00ff00', '#0000ff', '#0000ff', '#0000ff'],
  );
  assert.equal(fields[2].LayerState, 'frozen');
  assert.deepEqual(findings, []);
});

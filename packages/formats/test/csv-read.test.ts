import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { type ReadLayer, type ReadSettings, readBytesLayers } from '../../../test/support/read-layers.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { reader } from '../src/csv/read.ts';

async function read(text: string | Uint8Array, settings: ReadSettings = {}): Promise<ReadLayer> {
  return (await readBytesLayers(reader, text, settings)).layers[0];
}

async function findingsOf(text: string, settings: ReadSettings = {}): Promise<unknown[]> {
  const { findings } = await readBytesLayers(reader, text, settings);
  return findings.map(({ code, count, params }) => [code, count, params]);
}

async function errorOf(text: string | Uint8Array, settings: ReadSettings = {}): Promise<GeomillError> {
  try {
    await read(text, settings);
  } catch (error) {
    assert.ok(error instanceof GeomillError, String((error as Error).stack));
    assert.equal(error.fault, 'user', error.message);
    return error;
  }
  assert.fail('it was read');
}

async function column(...cells: string[]): Promise<unknown> {
  const { fields, rows } = await read(`v,geom_wkt\n${cells.map((cell) => `${cell},\n`).join('')}`);
  return [fields[0].type, ...rows.map(({ properties }) => properties.v)];
}

test('reads cells with quotes, and delimiters and line ends inside quotes', async () => {
  const { rows, fields } = await read(
    'a,"b ""x"", y",geom_wkt\n"1,""2"",3","line 1\r\nline 2","LINESTRING (1 2,3 4)"\n5" pipe,it\'s,POINT (1 2)\n',
  );
  assert.deepEqual(
    fields.map(({ name }) => name),
    ['a', 'b "x", y'],
  );
  assert.deepEqual(rows, [
    {
      id: null,
      geometry: 'LINESTRING (1 2,3 4)',
      properties: { a: '1,"2",3', 'b "x", y': 'line 1\r\nline 2' },
    },
    { id: null, geometry: 'POINT (1 2)', properties: { a: '5" pipe', 'b "x", y': "it's" } },
  ]);
});

test('accepts LF, CRLF and CR, blank lines and a missing last line end', async () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = ['geom_wkt,a', '', 'POINT (1 2),"x"', '   ', ',y', ''].join(end);
    for (const whole of [text, text.trimEnd(), `\ufeff${text}${end}${end}  `]) {
      const { rows } = await read(whole);
      assert.deepEqual(
        rows.map(({ geometry, properties }) => [geometry, properties.a]),
        [
          ['POINT (1 2)', 'x'],
          [null, 'y'],
        ],
      );
    }
  }
});

test('keeps a NUL in a cell, as it comes from a damaged database', async () => {
  const text = 'name,geom_wkt\nW\0nde,POINT (1 2)\nother,POINT (3 4)\n';
  assert.deepEqual(
    (await read(text)).rows.map(({ properties }) => properties.name),
    ['W\0nde', 'other'],
  );
});

test('tolerates blanks around quoted cells', async () => {
  const { rows } = await read('a,geom_wkt\n  "x"  ,  \t"POINT (1 2)" \n');
  assert.deepEqual(rows[0], { id: null, geometry: 'POINT (1 2)', properties: { a: 'x' } });
});

test('types a column as a number only if every value is one', async () => {
  assert.deepEqual(await column('1', '', '-2147483648'), ['int32', 1, null, -2147483648]);
  assert.deepEqual(await column('1', '2147483648'), ['int64', 1, 2147483648]);
  assert.deepEqual(await column('9223372036854775807'), ['int64', 9223372036854775807n]);
  assert.deepEqual(await column('9223372036854775808'), ['string', '9223372036854775808']);
  assert.deepEqual(await column('1', '2.5', '-1e3', '.5'), ['float64', 1, 2.5, -1000, 0.5]);
  assert.deepEqual(await column('1.50', 'x'), ['string', '1.50', 'x']);
  assert.deepEqual(await column('9007199254740993', '0.5'), ['string', '9007199254740993', '0.5']);
  assert.deepEqual(await column('"1"', '""', ' 2 '), ['int32', 1, null, 2]);
});

test('keeps text that a number would not reproduce', async () => {
  for (const text of ['007', '+5', '-0', '-', '1.', '00.5', '1e', '1e400', 'NaN', '0x10', '1 000', '1,5'])
    assert.deepEqual(await column(`"${text}"`), ['string', text]);
});

test('reads booleans, dates and datetimes', async () => {
  assert.deepEqual(await column('true', 'FALSE', 'True'), ['boolean', true, false, true]);
  assert.deepEqual(await column('true', '1'), ['string', 'true', '1']);
  assert.deepEqual(await column('2024-02-29', ''), ['date', '2024-02-29', null]);
  for (const text of ['2023-02-29', '2024-13-01', '2024-1-1', '20240101', '2024-01-01 10:00'])
    assert.notEqual(((await column(text)) as string[])[0], 'date');
  const stamps = ['2024-01-01T10:00', '2024-01-01T10:00:00.123Z', '2024-01-01T10:00:00+05:30'];
  assert.deepEqual(await column(...stamps), ['datetime', ...stamps]);
  assert.deepEqual(await column('2024-01-01', '2024-01-01T10:00'), [
    'string',
    '2024-01-01',
    '2024-01-01T10:00',
  ]);
});

test('reads an empty cell as null and a quoted empty cell as an empty text', async () => {
  assert.deepEqual(await column('', 'x', '""', '  ', '"  "'), ['string', null, 'x', '', null, '  ']);
  assert.deepEqual(await column('', ''), ['string', null, null]);
});

test('detects the delimiter that lets the header name the geometry column', async () => {
  const text = 'id;"a,b";geom_wkt\n1;"x;y";POINT (1 2)\n';
  assert.deepEqual((await read(text)).rows[0].properties, { id: 1, 'a,b': 'x;y' });
  assert.deepEqual(await findingsOf(text), [
    ['DELIMITER_FOUND', 1, { source: 'input.csv', delimiter: "';'" }],
  ]);
  assert.deepEqual(await findingsOf(text, { options: { delimiter: 'semicolon' } }), []);
  assert.equal((await errorOf(text, { options: { delimiter: ',' } })).code, 'CSV_COLUMN_MISSING');
  for (const delimiter of ['\t', '|'])
    assert.equal((await read(text.replaceAll(';', delimiter))).rows.length, 1);
});

test('finds the geometry column by name, without a header by number', async () => {
  const named = await read('geom_wkt,wkt\nx,POINT (1 2)\n', { options: { geometry_column: 'wkt' } });
  assert.deepEqual(named.rows[0], { id: null, geometry: 'POINT (1 2)', properties: { geom_wkt: 'x' } });
  for (const geometry_column of [2, '2', 'column_2']) {
    const { rows } = await read('x,POINT (1 2)\n', { options: { geometry_column, has_header: false } });
    assert.deepEqual(rows[0], { id: null, geometry: 'POINT (1 2)', properties: { column_1: 'x' } });
  }
  const error = await errorOf('id,\n1,POINT (1 2)\n');
  assert.equal(error.code, 'CSV_COLUMN_MISSING');
  assert.match(error.message, /'geom_wkt'.*its columns: 'id', ''.*'' contains WKT/);
});

test('makes repeated and missing column names unique', async () => {
  const { fields } = await read('a,,a,a_2,geom_wkt\n1,2,3,4,\n');
  assert.deepEqual(
    fields.map(({ name }) => name),
    ['a', 'column_2', 'a_3', 'a_2'],
  );
});

test('reads files in other encodings', async () => {
  const text = 'name,geom_wkt\nZürich – čár,POINT (8.5 47.4)\n';
  const rowOf = async (bytes: Uint8Array, encoding?: string) =>
    (await read(bytes, { options: encoding === undefined ? {} : { encoding } })).rows[0].properties.name;
  assert.equal(await rowOf(iconv.encode(text, 'utf16le', { addBOM: true })), 'Zürich – čár');
  assert.equal(await rowOf(iconv.encode(text, 'utf16be', { addBOM: true })), 'Zürich – čár');
  assert.equal(await rowOf(iconv.encode(text, 'utf16le'), 'utf-16le'), 'Zürich – čár');
  assert.equal(await rowOf(iconv.encode(text, 'win1250'), 'windows-1250'), 'Zürich – čár');
  const wrong = await errorOf(iconv.encode(text, 'win1250'));
  assert.equal(wrong.code, 'TEXT_ENCODING_INVALID');
  assert.equal(wrong.params.offset, text.indexOf('ü'));
  const unknown = await errorOf(text, { options: { encoding: 'klingon' } });
  assert.equal(unknown.code, 'TEXT_ENCODING_UNKNOWN');
});

test('names the kind of a file that is not CSV', async () => {
  const cases: [string, string, RegExp][] = [
    ['', 'INPUT_EMPTY', /empty/],
    ['\n\r\n', 'CSV_BLANK', /only blank lines .* \(3 bytes\)/],
    [' \n'.repeat(200_000), 'CSV_BLANK', /\(400000 bytes\)/],
    ['PK\x03\x04rest', 'INPUT_WRONG_FORMAT', /zip archive/],
    ['SQLite format 3\0', 'INPUT_WRONG_FORMAT', /GeoPackage/],
    ['a,b\0c', 'INPUT_WRONG_FORMAT', /binary/],
    ['{"type":"FeatureCollection"}', 'INPUT_WRONG_FORMAT', /JSON/],
  ];
  for (const [text, code, message] of cases) {
    const error = await errorOf(text);
    assert.equal(error.code, code);
    assert.match(error.message, message);
  }
});

test('reads a header alone as a layer without rows', async () => {
  const { rows, fields } = await read('a,geom_wkt');
  assert.deepEqual([rows.length, fields], [0, [{ name: 'a', type: 'string' }]]);
});

test('errors name the line, even after line ends in quotes', async () => {
  const start = 'a,geom_wkt\n"1\n2\n3",POINT (1 2)\n';
  const cases: [string, string, RegExp][] = [
    [
      'x,y,POINT (1 2)\n',
      'CSV_SYNTAX',
      /CSV line 5: the row has 3 cells where the header has 2: 'x,y,POINT \(1 2\)'/,
    ],
    ['x\n', 'CSV_SYNTAX', /line 5: the row has 1 cell /],
    ['"x"y,POINT (1 2)\n', 'CSV_SYNTAX', /line 5: column 1 has text behind its closing quote/],
    ['x,"POINT (1 2)\n', 'CSV_SYNTAX', /line 5: the quote that opens column 2 is never closed/],
    [
      'x,POINT (1)\n',
      'CSV_GEOMETRY',
      /line 5, column 'geom_wkt': a number is expected, found '\)', at character 9 in/,
    ],
    ['x,nonsense\n', 'CSV_GEOMETRY', /in 'nonsense'/],
    ['x,SRID=1;POINT (1 2)\ny,SRID=2;POINT (1 2)\n', 'CSV_SRIDS', /line 6.*SRID 2, but line 5 states 1/],
  ];
  for (const [text, code, message] of cases) {
    const error = await errorOf(start + text);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    assert.equal(error.location?.line, error.params.line);
  }
});

test('on_error skip drops invalid rows and lists their lines', async () => {
  const text = 'a,geom_wkt\n1,POINT (1 2)\n2,POINT (\n3\n"4"x,\n5,POINT (5 6)\n';
  const { layers, findings } = await readBytesLayers(reader, text, { options: { on_error: 'skip' } });
  assert.deepEqual(
    layers[0].rows.map(({ properties }) => properties.a),
    [1, 5],
  );
  assert.deepEqual(
    findings.map(({ code, count, places }) => [code, count, places.map(({ line }) => line)]),
    [
      ['RECORD_SKIPPED', 1, [3]],
      ['RECORD_SKIPPED', 2, [4, 5]],
    ],
  );
  const unclosed = await errorOf(`${text}6,"POINT`, { options: { on_error: 'skip' } });
  assert.match(unclosed.message, /line 7: .*never closed/);
});

test('notes tolerated geometry irregularities with their count', async () => {
  const ring = 'x,"POLYGON ((0 0,1 0,1 1))"\n';
  assert.deepEqual(await findingsOf(`a,geom_wkt\n${ring.repeat(8)}y,SRID=3857;POINT (1 2)\n`), [
    ['RING_CLOSED', 8, {}],
    ['SRID_STATED', 1, { srid: 3857 }],
  ]);
  const arcs = '"COMPOUNDCURVE (CIRCULARSTRING (0 0,1 1,2 0),(2 0,3 0))"\n"CIRCULARSTRING (0 0,1 1,2 0)"\n';
  assert.deepEqual(await findingsOf(`geom_wkt\n${arcs}"COMPOUNDCURVE ((0 0,1 0),(2 0,3 0))"\n`), [
    ['CURVES_STROKED', 2, {}],
    ['CURVE_GAP_BRIDGED', 1, {}],
  ]);
});

test('reads the same rows for any partition boundaries', async () => {
  const cell = fc.constantFrom('', '""', '"a\nb"', '"x,""y"""', '"\n\n"', '12', 'text', '"""\n"', '1.5');
  const geometry = fc.constantFrom('', 'POINT (1 2)', '"LINESTRING (1 2,\n3 4)"', '"POINT Z (1 2 3)"');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, geometry), { maxLength: 20 }),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 80 }),
      async (rows, end, partitionBytes) => {
        // The first row fixes the types: a partition must not have only empty cells in a column.
        const text = [['a,b,geom_wkt'], ['t', 'u', ''], ...rows].map((row) => row.join(',') + end).join('');
        const whole = await read(text);
        const parts = await read(text, { partitionBytes });
        assert.deepEqual(parts.rows, whole.rows);
        assert.deepEqual(parts.fields, whole.fields);
        assert.equal(parts.lineCount, whole.lineCount);
        assert.equal(whole.lineCount, text.split('\n').length - 1);
      },
    ),
    { numRuns: 60 },
  );
});

test('treats an unnamed column without values as trailing delimiters', async () => {
  const trailing = await readBytesLayers(reader, 'a,geom_wkt,\n1,POINT (1 2),\n2,,\n');
  assert.deepEqual(
    trailing.layers[0].fields.map(({ name }) => name),
    ['a'],
  );
  const late = await readBytesLayers(reader, `a,geom_wkt,\n${'1,POINT (1 2),\n'.repeat(40)}2,,x\n`, {
    partitionBytes: 100,
  });
  assert.deepEqual(late.layers[0].rows.at(-1)?.properties, { a: 2, column_3: 'x' });
  assert.deepEqual(late.layers[0].rows[0].properties, { a: 1, column_3: null });
});

test('takes delimiters after the names alone as no columns, as GDAL writes them for a single column', async () => {
  const cases: readonly (readonly [text: string, fields: readonly string[], rows: number])[] = [
    ['WKT,\n"POINT (1 2)"\n"LINESTRING (1 2,3 4)"\n', [], 2],
    ['WKT,\n"POINT (1 2)"\n', [], 1],
    ['a,geom_wkt,\n1,POINT (1 2)\n2,POINT (3 4)\n', ['a'], 2],
    ['a;geom_wkt;;\n1;POINT (1 2)\n2;POINT (3 4)\n', ['a'], 2],
    ['a\tb\tlon\tlat\t\n1\t\t2\t3\n', ['a', 'b'], 1],
  ];
  for (const [text, names, rows] of cases) {
    const { layers } = await readBytesLayers(reader, text);
    assert.deepEqual([layers[0].fields.map(({ name }) => name), layers[0].rows.length], [names, rows], text);
  }
});

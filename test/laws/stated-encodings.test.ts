/** Texts that are valid UTF-8 are read as UTF-8 although their file states a single-byte encoding, in every format that can state one. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import iconv from 'iconv-lite';
import type { Finding } from '../../packages/core/src/messages/findings.ts';
import { reader as csv } from '../../packages/formats/src/csv/read.ts';
import { reader as dxf } from '../../packages/formats/src/dxf/read.ts';
import { reader as gpx } from '../../packages/formats/src/gpx/read.ts';
import { reader as kml } from '../../packages/formats/src/kml/read.ts';
import { reader as mif } from '../../packages/formats/src/mapinfo/read-mif.ts';
import { reader as mapinfo } from '../../packages/formats/src/mapinfo/read-tab.ts';
import { formats } from '../../packages/formats/src/registry.ts';
import { reader as shp } from '../../packages/formats/src/shp/read.ts';
import { ZipWriter } from '../../packages/io/src/zip-write.ts';
import { EOF, section, type Tag, textDrawing } from '../support/dxf-text.ts';
import { writeRawShapefile } from '../support/raw-shapefile.ts';
import { writeRawTexts } from '../support/raw-tab.ts';
import { readBytesLayers, readFileLayers } from '../support/read-layers.ts';

interface Read {
  readonly texts: readonly unknown[];
  readonly findings: readonly Finding[];
}

const directory = mkdtempSync(join(tmpdir(), 'stated-encodings-'));
test.after(() => rmSync(directory, { recursive: true }));
let files = 0;

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const CODE_PAGES = ['windows-1252', 'windows-1251', 'windows-1253', 'CP850', 'CP437', 'ISO-8859-1'] as const;
type CodePage = (typeof CODE_PAGES)[number];

/** A file of the format that states an encoding and has these texts; null: the format cannot state it. */
type Make = (texts: readonly Uint8Array[], stated: CodePage) => Promise<Read> | null;

async function shapefile(
  texts: readonly Uint8Array[],
  statement: { codePage?: string; languageId?: number },
) {
  const path = await writeRawShapefile(join(directory, `${files++}.zip`), {
    fields: [['NAME', 'C', 40, 0]],
    rows: texts.map((text) => [latin1(text)]),
    codePage: statement.codePage ?? null,
    ...(statement.languageId === undefined ? {} : { languageId: statement.languageId }),
  });
  const { layers, findings } = await readFileLayers(shp, path);
  return { texts: layers[0].rows.map(({ properties }) => properties.NAME), findings };
}

const LANGUAGE_IDS: Partial<Record<CodePage, readonly number[]>> = {
  'windows-1252': [0x03, 0x57],
  'windows-1251': [0xc9],
  'windows-1253': [0xcb],
  CP850: [0x02],
  CP437: [0x01],
};
const DRAWING_PAGES: Partial<Record<CodePage, string>> = {
  'windows-1252': 'ANSI_1252',
  'windows-1251': 'ANSI_1251',
  'windows-1253': 'ANSI_1253',
  CP850: 'DOS850',
  CP437: 'DOS437',
  'ISO-8859-1': 'ISO8859-1',
};

const CHARSETS: Readonly<Record<CodePage, string>> = {
  'windows-1252': 'WindowsLatin1',
  'windows-1251': 'WindowsCyrillic',
  'windows-1253': 'WindowsGreek',
  CP850: 'CodePage850',
  CP437: 'CodePage437',
  'ISO-8859-1': 'ISO8859_1',
};

const MAKERS: Readonly<Record<string, Make>> = {
  'shp, language id': (texts, stated) => {
    const id = LANGUAGE_IDS[stated]?.[texts.length % (LANGUAGE_IDS[stated]?.length ?? 1)];
    return id === undefined ? null : shapefile(texts, { languageId: id });
  },
  'shp, .cpg': (texts, stated) => shapefile(texts, { codePage: stated }),
  dxf: async (texts, stated) => {
    const points = texts.flatMap((text): Tag[] => [
      [0, 'POINT'],
      [8, latin1(text)],
      [10, 1],
      [20, 2],
    ]);
    const head: Tag[] = [
      [9, '$ACADVER'],
      [1, 'AC1015'],
      [9, '$DWGCODEPAGE'],
      [3, DRAWING_PAGES[stated] ?? ''],
    ];
    const drawing = textDrawing([...section('HEADER', head), ...section('ENTITIES', points), EOF]);
    const { layers, findings } = await readBytesLayers(dxf, Buffer.from(drawing, 'latin1'), {
      name: 'x.dxf',
    });
    return { texts: layers[0].rows.map(({ properties }) => properties.Layer), findings };
  },
  mif: async (texts, stated) => {
    const charset = CHARSETS[stated];
    const rows = texts.map((text) => `"${latin1(text)}"\n`).join('');
    const head = `Version 300\nCharset "${charset}"\nDelimiter ","\nCoordSys Earth Projection 1, 104\nColumns 1\n  name Char(80)\nData\n\n`;
    const zip = new ZipWriter(join(directory, `${files}.mif.zip`));
    zip.addMember('a.mif', 0).append(Buffer.from(head + 'Point 1 2\n'.repeat(texts.length)));
    zip.addMember('a.mid', 0).append(Buffer.from(rows, 'latin1'));
    await zip.finish();
    const { layers, findings } = await readFileLayers(mif, join(directory, `${files++}.mif.zip`));
    return { texts: layers[0].rows.map(({ properties }) => properties.name), findings };
  },
  mapinfo: async (texts, stated) => {
    const path = writeRawTexts(directory, texts, CHARSETS[stated], `texts${files++}`);
    const { layers, findings } = await readFileLayers(mapinfo, path);
    return { texts: layers[0].rows.map(({ properties }) => properties.name), findings };
  },
  kml: async (texts, stated) => {
    const placemarks = texts.map(
      (text) =>
        `<Placemark><name>${latin1(text)}</name><Point><coordinates>1,2</coordinates></Point></Placemark>`,
    );
    const document = `<?xml version="1.0" encoding="${stated}"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${placemarks.join('')}</Document></kml>`;
    const { layers, findings } = await readBytesLayers(kml, Buffer.from(document, 'latin1'), {
      name: 'x.kml',
    });
    return { texts: layers[0].rows.map(({ properties }) => properties.name), findings };
  },
  gpx: async (texts, stated) => {
    const points = texts.map((text) => `<wpt lat="1" lon="2"><name>${latin1(text)}</name></wpt>`);
    const document = `<?xml version="1.0" encoding="${stated}"?>\n<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">${points.join('')}</gpx>`;
    const { layers, findings } = await readBytesLayers(gpx, Buffer.from(document, 'latin1'), {
      name: 'x.gpx',
    });
    return { texts: layers[0].rows.map(({ properties }) => properties.name), findings };
  },
};

const TOLD = ['ENCODING_CONTRADICTED', 'TEXT_IN_UTF8'];
/** Characters whose UTF-8 has the bytes 81, 8D, 8F, 90 and 9D, which windows-1252 has not. */
const TEXTS = [
  ['Ávila', 'Íñigo', 'Ïle', 'Ðakovo', 'Ýmir', 'Čakovec', 'Łódź'],
  ['København', 'plain', 'Zürich – Genève'],
  ['Náměstí Míru', 'Αθήνα', 'Москва', 'Нальчик'],
  ['Straße'],
  ['東京都', 'ภูเก็ต', 'القاهرة', '한국'],
  ['😀 Straße'],
];
const utf8 = (texts: readonly string[]) => texts.map((text) => Buffer.from(text));

test('UTF-8 counts more than the statement of a single-byte encoding', async () => {
  for (const [name, make] of Object.entries(MAKERS))
    for (const stated of CODE_PAGES)
      for (const texts of TEXTS) {
        const read = await make(utf8(texts), stated);
        if (read === null) continue;
        const label = `${name}, ${stated}: ${texts[0]}`;
        assert.deepEqual(read.texts, texts, label);
        const told = read.findings.filter(({ code }) => TOLD.includes(code));
        assert.equal(told.length, 1, label);
        assert.ok(!read.findings.some(({ code }) => /REPLACED/.test(code)), label);
      }
});

test('texts in the stated encoding are read in it', async () => {
  const right: Readonly<Partial<Record<CodePage, readonly string[]>>> = {
    'windows-1252': ['Zürich', 'Œuvre – été', 'É', 'plain', 'São João'],
    'windows-1251': ['Москва', 'Рівне', 'Її', 'Ёлка'],
    'windows-1253': ['Αθήνα', 'ΤΈ'],
    CP850: ['Zürich', 'Åse', 'Ýß'],
    CP437: ['Köln', 'ßß'],
    'ISO-8859-1': ['Zürich', 'é'],
  };
  for (const [name, make] of Object.entries(MAKERS))
    for (const stated of CODE_PAGES) {
      const texts = right[stated] ?? [];
      for (const list of [texts, ...texts.map((text) => [text])]) {
        const read = await make(
          list.map((text) => iconv.encode(text, stated)),
          stated,
        );
        if (read === null) continue;
        assert.deepEqual(read.texts, list, `${name}, ${stated}`);
        assert.ok(!read.findings.some(({ code }) => TOLD.includes(code)), `${name}, ${stated}`);
      }
    }
});

test('short words of other scripts that are UTF-8 by chance stay in the stated encoding', async () => {
  const word = iconv.encode('рак', 'CP866');
  for (const statement of [{ languageId: 0x65 }, { codePage: '866' }])
    assert.deepEqual((await shapefile([word], statement)).texts, ['рак']);
  // Pairs of bytes are valid UTF-8 by chance more often.
  for (const [text, codePage] of [
    ['聯', 'Big5'],
    ['一', 'GBK'],
    ['ﾃﾂ', 'Shift_JIS'],
  ])
    assert.deepEqual((await shapefile([iconv.encode(text, codePage)], { codePage })).texts, [text]);
});

test('a cell that its writer cut within a character is UTF-8 as well', async () => {
  const cut = Buffer.concat([Buffer.from('Škofja '), Buffer.alloc(31, 'x'), Buffer.of(0xc3)]);
  const { texts, findings } = await shapefile([Buffer.from('Čakovec'), cut], { languageId: 0x57 });
  assert.equal(texts[0], 'Čakovec');
  assert.match(String(texts[1]), /^Škofja x/);
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['ENCODING_CONTRADICTED', 'TEXT_REPLACED'],
  );
});

test('a table in several encodings keeps every byte that one of them has', async () => {
  const cells = [
    iconv.encode('Zürich', 'windows-1252'),
    Buffer.from('Ðakovo Í'),
    Buffer.of(0x41, 0x81, 0x42),
  ];
  const { texts, findings } = await shapefile(cells, { languageId: 0x57 });
  assert.deepEqual(texts, ['Zürich', 'Ðakovo Í', 'A\ufffdB']);
  const replaced = findings.filter(({ code }) => code === 'TEXT_REPLACED');
  assert.deepEqual(
    replaced.map(({ count }) => count),
    [1],
  );
  const drawing = await (MAKERS.dxf(cells, 'windows-1252') as Promise<Read>);
  assert.deepEqual(drawing.texts, texts);
  assert.deepEqual(drawing.findings.map(({ code, count }) => `${code} ${count}`).sort(), [
    'TEXT_BYTES_REPLACED 1',
    'TEXT_IN_UTF8 1',
  ]);
});

test('a requested encoding is used, and the doubt is reported', async () => {
  const text = 'name,geom_wkt\nČakovec,POINT (1 2)\n';
  const { layers, findings } = await readBytesLayers(csv, text, { options: { encoding: 'windows-1250' } });
  assert.equal(layers[0].rows[0].properties.name, iconv.decode(Buffer.from('Čakovec'), 'windows-1250'));
  assert.ok(findings.some(({ code }) => code === 'ENCODING_DOUBTFUL'));
});

test('every format whose files can state an encoding is among these', () => {
  // What a DWG says is read by the reader of DXF.
  const withOption = formats.filter(({ readOptions }) => 'encoding' in (readOptions?.properties ?? {}));
  assert.deepEqual(withOption.map(({ id }) => id).sort(), ['csv', 'dwg', 'dxf', 'mapinfo', 'mif', 'shp']);
});

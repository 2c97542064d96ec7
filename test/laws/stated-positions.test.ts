/** Tables of attributes alone: their CRS is not reported, and a file of one table for which a request states a CRS has to have positions. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { rawParquet } from '../support/raw-parquet.ts';
import { row, workbook } from '../support/workbooks.ts';

const INT32 = 1;
const parquetValue = { name: 'value', type: INT32, pages: [{ data: plainNumber(1), count: 1 }] };

function plainNumber(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

/** A workbook has other sheets, whose CRS a request may state. */
const TABLES = {
  csv: { bytes: Buffer.from('name,value\na,1\n'), code: 'CSV_NO_POSITION', refusal: 'CSV_COLUMN_MISSING' },
  xlsx: {
    bytes: workbook({ sheets: [{ name: 'a', rows: row('name', 'value') + row('a', 1) }] }),
    code: 'XLSX_NO_POSITION',
    refusal: null,
  },
  geoparquet: {
    bytes: rawParquet({ columns: [parquetValue], rowCount: 1 }),
    code: 'GEOPARQUET_NO_POSITION',
    refusal: 'GEOPARQUET_NO_GEOMETRY',
  },
} as const;

for (const [from, { bytes, code, refusal }] of Object.entries(TABLES))
  test(`a table of attributes in ${from}`, async () => {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'table');
    writeFileSync(path, bytes);
    const { report } = await convertFile(path, workspace.path, { from, to: 'gpkg' });
    const codes = report.warnings.map((finding) => finding.code);
    assert.ok(codes.includes(code), codes.join());
    assert.ok(!codes.includes('CRS_ASSUMED'), codes.join());
    const stated = convertFile(path, workspace.path, { from, to: 'gpkg', fromCrs: 'EPSG:4326' });
    if (refusal !== null) await assert.rejects(stated, { code: refusal });
    else assert.equal((await stated).report.features.written, 1);
  });

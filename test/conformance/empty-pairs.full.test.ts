/**
 * Converts empty content from every format to every format: layers without features, features without a geometry, empty
 * geometries, fields without a value. The output has as many features and the same fields as the input, or a finding
 * gives the reason.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { isInputFormat, isOutputFormat } from '../../packages/formats/src/format.ts';
import { inputFormatById } from '../../packages/formats/src/format-by-id.ts';
import { inputFormats, outputFormats } from '../../packages/formats/src/registry.ts';
import { gdalFacts, withoutGdal } from '../oracle/gdal-facts.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { statedCrs, traitsOf } from '../support/formats.ts';
import { pointBlob, writeRawGeopackage } from '../support/raw-gpkg.ts';
import { readFileLayers } from '../support/read-layers.ts';

const FIELDS = 'a INTEGER, b MEDIUMINT, c REAL, d TEXT, e DATE, f BOOLEAN';
const EMPTY_POINT = "x'47500011E6100000 0101000000 000000000000F87F 000000000000F87F'".replaceAll(' ', '');
const VALUES = "7, 8, 1.5, 'text', '2024-02-29', 1";
const NULLS = 'NULL, NULL, NULL, NULL, NULL, NULL';

const CASES: Readonly<Record<string, readonly string[]>> = {
  'no features': [],
  'features without a geometry': [`NULL, ${VALUES}`, `NULL, ${NULLS}`],
  'empty geometries': [`${EMPTY_POINT}, ${VALUES}`, `${EMPTY_POINT}, ${NULLS}`],
  'no attributes but nulls': [`${pointBlob(1, 2)}, ${NULLS}`, `${pointBlob(3, 4)}, ${NULLS}`],
  'a bit of each': [
    `${pointBlob(1, 2)}, ${VALUES}`,
    `NULL, ${NULLS}`,
    `${EMPTY_POINT}, ${NULLS}`,
    `${pointBlob(3, 4)}, ${NULLS}`,
  ],
};

function writeSource(directory: string, rows: readonly string[]): string {
  const inserts = rows.map((row, i) => `INSERT INTO t VALUES (${i + 1}, ${row});`);
  const sql = `CREATE TABLE t (fid INTEGER PRIMARY KEY, geom POINT, ${FIELDS}); ${inserts.join(' ')}`;
  return writeRawGeopackage(join(directory, 'source.gpkg'), { sql, layers: ['t'] });
}

interface Content {
  readonly features: number;
  readonly fields: readonly string[];
}

async function contentOf(format: string, path: string): Promise<Content> {
  const { layers } = await readFileLayers(await inputFormatById(format, 'format').loadReader(), path);
  return {
    features: layers.reduce((sum, { rows }) => sum + rows.length, 0),
    fields: layers.flatMap(({ fields }) => fields.map(({ name }) => name)),
  };
}

/**
 * The number of features that an installed GDAL reads; it must open the output, or the test fails. Null: it does not
 * support the format.
 */
async function gdalFeatures(format: string, path: string): Promise<number | null> {
  const { gdal } = traitsOf(format);
  if (withoutGdal !== false || gdal === null) return null;
  const { layers } = await gdalFacts(path, gdal.openOptions);
  return gdal.findsSameRows ? layers.reduce((sum, { rows }) => sum + rows.length, 0) : null;
}

for (const [what, rows] of Object.entries(CASES))
  for (const { id: from } of inputFormats.filter(isOutputFormat))
    test(`${what}, from ${from} to every format`, async () => {
      using workspace = makeWorkspace();
      const directory = (name: string): string => {
        const path = join(workspace.path, name);
        mkdirSync(path);
        return path;
      };
      const source = writeSource(workspace.path, rows);
      const made = await convertFile(source, directory('from'), { from: 'gpkg', to: from });
      const given = await contentOf(from, made.outputPath);
      for (const { id: to, outputFields } of outputFormats.filter(isInputFormat)) {
        const { report, outputPath } = await convertFile(made.outputPath, directory(to), {
          from,
          to,
          fromCrs: statedCrs(from),
        });
        const codes = new Set<string>(report.warnings.map(({ code }) => code));
        const found = await contentOf(to, outputPath);
        const { read, written, dropped } = report.features;
        const pair = `${from} to ${to}: ${JSON.stringify(report.warnings)}`;
        assert.equal(read, given.features, pair);
        assert.equal(written + dropped, read, pair);
        assert.ok(dropped === 0 || codes.has('GEOMETRY_NOT_DRAWN'), pair);
        assert.equal(found.features, written, pair);
        const gdal = await gdalFeatures(to, outputPath);
        if (gdal !== null) assert.equal(gdal, written, pair);
        // Conversions to a format without fields lose all fields, which the writer reports.
        if (outputFields === 'none') continue;
        const renamed = report.warnings.map(({ code, params }) =>
          code === 'FIELD_RENAMED' ? params.from : null,
        );
        const lost = given.fields.filter((name) => !found.fields.includes(name) && !renamed.includes(name));
        const isTold = (['FIELDS_NOT_DECLARED', 'GEOMETRY_NOT_DRAWN', 'GPX_FIELDS_EMPTY'] as const).some(
          (code) => codes.has(code),
        );
        assert.ok(lost.length === 0 || (outputFields === 'with features' && isTold), `${lost} lost, ${pair}`);
      }
    });

test('an empty layer of a GeoPackage keeps its fields and their types in a shapefile', async () => {
  using workspace = makeWorkspace();
  const source = writeSource(workspace.path, []);
  const { report, outputPath } = await convertFile(source, workspace.path, { from: 'gpkg', to: 'shp' });
  assert.deepEqual(report.warnings, []);
  const reader = await inputFormatById('shp', 'format').loadReader();
  const { layers } = await readFileLayers(reader, outputPath);
  assert.deepEqual(
    layers[0].fields.map(({ name, type }) => `${name} ${type}`),
    ['a int64', 'b int32', 'c float64', 'd string', 'e date', 'f boolean'],
  );
});

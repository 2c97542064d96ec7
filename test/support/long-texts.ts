/** Inputs of every format with one text of a wanted length at every place that the format has for one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { formats } from '../../src/formats/registry.ts';
import { ZipWriter } from '../../src/io/zip-write.ts';
import { EOF, section, type Tag, textDrawing } from './dxf-text.ts';
import { pointBlob, writeRawGeopackage } from './raw-gpkg.ts';
import { writeRawShapefile } from './raw-shapefile.ts';

type FormatId = (typeof formats)[number]['id'];

/** Writes a file to the path; `text` has ASCII letters alone. */
type WriteWith = (path: string, text: string) => Promise<unknown> | unknown;

const POINT = { type: 'Point', coordinates: [1, 2] };

function geojson(properties: object, more: object = {}, head: object = {}): (path: string) => void {
  const feature = { type: 'Feature', properties, geometry: POINT, ...more };
  const other = { type: 'Feature', properties: { b: 1 }, geometry: POINT };
  return (path) =>
    writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', ...head, features: [feature, other] }));
}

function csv(text: string): (path: string) => void {
  return (path) => writeFileSync(path, text);
}

function dxf(tags: readonly Tag[], head: readonly Tag[] = []): (path: string) => void {
  const all = [...section('HEADER', head), ...section('ENTITIES', tags), EOF];
  return (path) => writeFileSync(path, textDrawing(all));
}

const PLACE: Tag[] = [
  [10, 1],
  [20, 2],
  [30, 0],
];

const geopackage =
  (sql: string, layer: string): ((path: string) => unknown) =>
  (path) =>
    writeRawGeopackage(path, { pageBytes: 4096, sql, layers: [layer] });

const ROW = pointBlob(1, 2);
const COLUMNS = 'fid INTEGER PRIMARY KEY, geom POINT';

export const LONG_TEXTS: Readonly<Record<FormatId, Readonly<Record<string, WriteWith>>>> = {
  geojson: {
    'field name': (path, text) => geojson({ [text]: 1 })(path),
    'two field names that begin alike': (path, text) => geojson({ [text]: 1, [`${text}b`]: 'x' })(path),
    'text value': (path, text) => geojson({ a: text })(path),
    'key within a value': (path, text) => geojson({ a: { [text]: [text] } })(path),
    id: (path, text) => geojson({ a: 1 }, { id: text })(path),
    'foreign member': (path, text) => geojson({ a: 1 }, { [text]: text }, { [text]: text, name: text })(path),
    'crs member': (path, text) =>
      geojson({ a: 1 }, {}, { crs: { type: 'name', properties: { name: text } } })(path),
    'type of a geometry': (path, text) =>
      geojson({ a: 1 }, { geometry: { type: text, coordinates: [] } })(path),
    'no JSON': (path, text) => csv(text)(path),
    'number of very many digits': (path, text) =>
      csv(`{"type":"Point","coordinates":[1,${'7'.repeat(text.length)}]}`)(path),
  },
  csv: {
    'column name': (path, text) => csv(`geom_wkt,${text},b\nPOINT (1 2),v,2\n`)(path),
    'the same column name twice': (path, text) => csv(`geom_wkt,${text},${text}\nPOINT (1 2),v,2\n`)(path),
    'no geometry column': (path, text) => csv(`${text},b\n1,2\n`)(path),
    value: (path, text) => csv(`geom_wkt,a\nPOINT (1 2),${text}\n`)(path),
    'geometry that is none': (path, text) => csv(`geom_wkt,a\n${text},1\n`)(path),
    'word within a geometry': (path, text) => csv(`geom_wkt,a\nPOINT (1 ${text}),1\n`)(path),
    'row of many cells': (path, text) => csv(`geom_wkt,a\nPOINT (1 2),1,2,3,${text}\n`)(path),
    'quote that is not closed': (path, text) => csv(`geom_wkt,a\nPOINT (1 2),"${text}\n`)(path),
  },
  dxf: {
    'layer name': (path, text) => dxf([[0, 'POINT'], [8, text], ...PLACE])(path),
    text: (path, text) => dxf([[0, 'TEXT'], [8, '0'], ...PLACE, [40, 1], [1, text]])(path),
    handle: (path, text) => dxf([[0, 'POINT'], [5, text], [8, '0'], ...PLACE])(path),
    'type of an entity': (path, text) => dxf([[0, text], [8, '0'], ...PLACE])(path),
    'name of a block': (path, text) => dxf([[0, 'INSERT'], [8, '0'], [2, text], ...PLACE])(path),
    'application of extended data': (path, text) =>
      dxf([[0, 'POINT'], [8, '0'], ...PLACE, [1001, text], [1000, text]])(path),
    attribute: (path, text) =>
      dxf([
        [0, 'INSERT'],
        [8, '0'],
        [2, 'b'],
        ...PLACE,
        [66, 1],
        [0, 'ATTRIB'],
        [8, '0'],
        [2, text],
        [1, text],
        ...PLACE,
        [0, 'SEQEND'],
      ])(path),
    'number that is none': (path, text) =>
      dxf([
        [0, 'POINT'],
        [8, '0'],
        [10, text],
        [20, 1],
      ])(path),
    'code page': (path, text) =>
      dxf(
        [[0, 'POINT'], [8, '0'], ...PLACE],
        [
          [9, '$ACADVER'],
          [1, 'AC1015'],
          [9, '$DWGCODEPAGE'],
          [3, text],
        ],
      )(path),
    'name of a section': (path, text) => csv(textDrawing([...section(text, []), EOF]))(path),
  },
  gpkg: {
    'name of a table': (path, text) =>
      geopackage(
        `CREATE TABLE ${text} (${COLUMNS}, a TEXT); INSERT INTO ${text} VALUES (1, ${ROW}, 'v');`,
        text,
      )(path),
    'name of a column': (path, text) =>
      geopackage(
        `CREATE TABLE t (${COLUMNS}, ${text} TEXT); INSERT INTO t VALUES (1, ${ROW}, 'v');`,
        't',
      )(path),
    'type of a column': (path, text) =>
      geopackage(`CREATE TABLE t (${COLUMNS}, a ${text}); INSERT INTO t VALUES (1, ${ROW}, 'v');`, 't')(path),
    value: (path, text) =>
      geopackage(
        `CREATE TABLE t (${COLUMNS}, a TEXT); INSERT INTO t VALUES (1, ${ROW}, '${text}');`,
        't',
      )(path),
    'text in a number': (path, text) =>
      geopackage(
        `CREATE TABLE t (${COLUMNS}, a INTEGER); INSERT INTO t VALUES (1, ${ROW}, '${text}');`,
        't',
      )(path),
    'definition of a CRS': (path, text) =>
      geopackage(
        `CREATE TABLE t (${COLUMNS}); INSERT INTO t VALUES (1, ${ROW});
         UPDATE gpkg_spatial_ref_sys SET definition = '${text}', organization = '${text}' WHERE srs_id = 4326;`,
        't',
      )(path),
    'table that is not there': (path, text) => geopackage(`CREATE TABLE t (${COLUMNS});`, text)(path),
    'expression of a view': (path, text) =>
      geopackage(
        `CREATE TABLE b (${COLUMNS}); CREATE VIEW t AS SELECT fid, geom, ${text}(1) AS a FROM b;`,
        't',
      )(path),
  },
  shp: {
    'name of the files': (path, text) =>
      writeRawShapefile(path, { name: text.slice(0, 60_000), fields: [['a', 'C', 5, 0]], rows: [['v']] }),
    'code page': (path, text) =>
      writeRawShapefile(path, { fields: [['a', 'C', 5, 0]], rows: [['v']], codePage: text }),
    'definition of the CRS': (path, text) =>
      writeRawShapefile(path, { fields: [['a', 'C', 5, 0]], rows: [['v']], prj: text }),
    'name of a CRS': (path, text) =>
      writeRawShapefile(path, {
        fields: [['a', 'C', 5, 0]],
        rows: [['v']],
        prj: `GEOGCS["${text}",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]`,
      }),
    'value in a number': (path, text) =>
      writeRawShapefile(path, { fields: [['a', 'N', 250, 0]], rows: [[text.slice(0, 250)]] }),
    'entry of the archive alone': async (path, text) => {
      const zip = new ZipWriter(path);
      zip.addMember(`${text.slice(0, 60_000)}.txt`, 0).append(Buffer.from('x'));
      await zip.finish();
    },
  },
};

/** Writes the file of a case into a directory; its path. */
export async function writeLongText(
  directory: string,
  format: FormatId,
  name: string,
  text: string,
): Promise<string> {
  const path = join(directory, 'input.dat');
  await LONG_TEXTS[format][name](path, text);
  return path;
}

/** Small inputs of every format, made without the product's codecs, so that a test depends on nothing it tests. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EOF, section, type Tag, textDrawing } from '../dxf-text.ts';
import { pointBlob, writeRawGeopackage } from '../raw-gpkg.ts';
import { type RawShapefile, writeRawShapefile } from '../raw-shapefile.ts';
import type { File } from './client.ts';

export interface GeojsonFeature {
  readonly type: 'Feature';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly geometry: { readonly type: string; readonly coordinates: unknown } | null;
}

export interface FeatureCollection {
  readonly type: 'FeatureCollection';
  readonly features: readonly GeojsonFeature[];
}

export function feature(
  type: string,
  coordinates: unknown,
  properties: Readonly<Record<string, unknown>> = {},
): GeojsonFeature {
  return { type: 'Feature', properties, geometry: { type, coordinates } };
}

export function point(
  x: number,
  y: number,
  properties: Readonly<Record<string, unknown>> = {},
): GeojsonFeature {
  return feature('Point', [x, y], properties);
}

/** A square with its lower left corner at (x, y). */
export function square(
  x: number,
  y: number,
  side: number,
  properties: Readonly<Record<string, unknown>> = {},
): GeojsonFeature {
  const ring = [
    [x, y],
    [x + side, y],
    [x + side, y + side],
    [x, y + side],
    [x, y],
  ];
  return feature('Polygon', [ring], properties);
}

export function collection(...features: readonly GeojsonFeature[]): FeatureCollection {
  return { type: 'FeatureCollection', features };
}

export function geojsonFile(...features: readonly GeojsonFeature[]): File {
  return { name: 'roads.geojson', content: JSON.stringify(collection(...features)) };
}

/** A feature of each of the three kinds, with two fields. */
export const MIXED: readonly GeojsonFeature[] = [
  point(8.5, 53.5, { name: 'light', depth: 1 }),
  feature(
    'LineString',
    [
      [8.5, 53.5],
      [8.6, 53.6],
    ],
    { name: 'mole', depth: 2 },
  ),
  square(8.4, 53.4, 0.01, { name: 'basin', depth: 3 }),
];

/** WKT1 in the words of .prj files. */
export const UTM32_ESRI =
  'PROJCS["ETRS_1989_UTM_Zone_32N",GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]';

/** Points at (0, 1), (1, 1), ... with a text field `name` and an integer field `number`, in a zip. */
export function shpFile(shapefile: Partial<RawShapefile> = {}, fileName = 'roads.zip'): Promise<File> {
  return inDirectory(async (directory) => {
    const path = await writeRawShapefile(join(directory, 'raw.zip'), {
      name: 'roads',
      fields: [
        ['name', 'C', 10, 0],
        ['number', 'N', 6, 0],
      ],
      rows: [
        ['first', '1'],
        ['second', '2'],
      ],
      ...shapefile,
    });
    return { name: fileName, content: readFileSync(path) };
  });
}

/** A table `roads` of points with the fields `name` and `number`, in EPSG:4326 or as `sql` changes it. */
export function gpkgFile(
  points: readonly (readonly [x: number, y: number, name: string, number: number])[] = [
    [0, 1, 'first', 1],
    [1, 1, 'second', 2],
  ],
  sql = '',
): Promise<File> {
  return inDirectory(async (directory) => {
    const rows = points.map(
      ([x, y, name, number], i) => `(${i + 1}, ${pointBlob(x, y)}, '${name}', ${number})`,
    );
    const path = writeRawGeopackage(
      join(directory, 'roads.gpkg'),
      {
        sql: `CREATE TABLE roads (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT, number INTEGER);
          INSERT INTO roads VALUES ${rows.join(', ')};`,
        layers: ['roads'],
      },
      (database) => database.exec(sql),
    );
    return { name: 'roads.gpkg', content: readFileSync(path) };
  });
}

/** A drawing with these entities. */
export function dxfFile(...entities: readonly (readonly Tag[])[]): File {
  return { name: 'roads.dxf', content: textDrawing([...section('ENTITIES', entities.flat()), EOF]) };
}

export function dxfPoint(x: number, y: number): Tag[] {
  return [
    [0, 'POINT'],
    [8, '0'],
    [10, x],
    [20, y],
  ];
}

export function dxfLine(...positions: readonly (readonly [x: number, y: number])[]): Tag[] {
  const [[x1, y1], [x2, y2]] = positions;
  return [
    [0, 'LINE'],
    [8, '0'],
    [10, x1],
    [20, y1],
    [11, x2],
    [21, y2],
  ];
}

export function csvFile(...lines: readonly string[]): File {
  return { name: 'roads.csv', content: `${lines.join('\n')}\n` };
}

async function inDirectory<Result>(make: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-spec-'));
  try {
    return await make(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

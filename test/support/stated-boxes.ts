/** The boxes that files state: of layers and of features, as their bytes have them. */
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { levelsOf } from '../../packages/formats/src/flatgeobuf/index-layout.ts';
import type { FlatGeobufState } from '../../packages/formats/src/flatgeobuf/open.ts';
import { reader as flatgeobuf } from '../../packages/formats/src/flatgeobuf/read.ts';
import type { ParquetState } from '../../packages/formats/src/geoparquet/read/state.ts';
import { reader as geoparquet } from '../../packages/formats/src/geoparquet/read.ts';
import { readFileLayers } from './read-layers.ts';
import { readZipMembers } from './zip-members.ts';

/** West, south, east, north; west may be greater than east. */
export type Box = readonly number[];

export interface StatedBoxes {
  /** Of all features. */
  readonly whole: readonly Box[];
  /** Of single features, in any order; those that state none are left out. */
  readonly features: readonly Box[];
}

type StatesBoxes = (path: string) => Promise<StatedBoxes> | StatedBoxes;

const numbers = (count: number, at: (i: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => at(i));

/** By format; `statesNoBoxes` of test/fixtures/<id>/format.json says why a format is not here. */
export const STATED_BOXES: Readonly<Record<string, StatesBoxes>> = {
  geojson: memberBox,
  topojson: memberBox,
  pmtiles(path) {
    const bytes = readFileSync(path);
    // A map of tiles ends at 85.05 degrees: what is beyond is not drawn.
    const own = numbers(4, (i) => bytes.readInt32LE(102 + 4 * i) / 1e7);
    return {
      whole: [own.map((value, i) => (i % 2 === 1 && Math.abs(value) >= 85 ? Math.sign(value) * 90 : value))],
      features: [],
    };
  },
  gpkg: gpkgBoxes,
  shp: shapefileBoxes,
  flatgeobuf: flatgeobufBoxes,
  geoparquet: geoparquetBoxes,
};

function memberBox(path: string): StatedBoxes {
  const { bbox } = JSON.parse(readFileSync(path, 'utf8')) as { bbox?: number[] };
  const half = (bbox?.length ?? 0) / 2;
  const box = bbox === undefined ? [] : [[bbox[0], bbox[1], bbox[half], bbox[half + 1]]];
  return { whole: box, features: [] };
}

function gpkgBoxes(path: string): StatedBoxes {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = (sql: string): number[][] =>
      database.prepare(sql).all().map((row) => Object.values(row) as number[]); // biome-ignore format: one line
    const [[table]] = database.prepare('SELECT table_name FROM gpkg_contents').all().map((row) => Object.values(row)); // biome-ignore format: one line
    const index = rows(`SELECT minx, miny, maxx, maxy FROM "rtree_${table}_geom"`);
    const blobs = database.prepare(`SELECT geom FROM "${table}"`).all().flatMap(({ geom }) => {
      const blob = geom === null ? Buffer.alloc(8) : Buffer.from(geom as Uint8Array);
      const [minX, maxX, minY, maxY] = (blob[3] & 0x0e) === 2 ? numbers(4, (i) => blob.readDoubleLE(8 + 8 * i)) : [];
      return minX === undefined ? [] : [[minX, minY, maxX, maxY]];
    }); // biome-ignore format: blob after blob
    const whole = rows('SELECT min_x, min_y, max_x, max_y FROM gpkg_contents');
    return { whole: whole.filter(([x]) => x !== null), features: [...index, ...blobs] };
  } finally {
    database.close();
  }
}

/** All shapefiles of the archive. */
async function shapefileBoxes(path: string): Promise<StatedBoxes> {
  const whole: Box[] = [];
  const features: Box[] = [];
  for (const { name, bytes } of await readZipMembers(readFileSync(path))) {
    const file = Buffer.from(bytes);
    if (/\.sh[px]$/.test(name)) whole.push(numbers(4, (i) => file.readDoubleLE(36 + 8 * i)));
    if (!name.endsWith('.shp')) continue;
    for (let at = 100; at < file.length; at += 8 + 2 * file.readInt32BE(at + 4))
      if ([3, 5, 8].includes(file.readInt32LE(at + 8) % 10))
        features.push(numbers(4, (i) => file.readDoubleLE(at + 12 + 8 * i)));
  }
  // Files of one kind state boxes of that kind alone: what contains all of them.
  const union = [0, 1, 2, 3].map((i) =>
    whole
      .map((box) => box[i])
      .reduce((a, b) => (i < 2 ? Math.min(a, b) : Math.max(a, b)), i < 2 ? Infinity : -Infinity),
  );
  return { whole: whole.length === 0 ? [] : [union], features };
}

async function flatgeobufBoxes(path: string): Promise<StatedBoxes> {
  const [{ source }] = (await readFileLayers(flatgeobuf, path)).layers;
  const { index } = source.state as FlatGeobufState;
  const file = readFileSync(path);
  const features: Box[] = [];
  if (index !== null) {
    const [level] = levelsOf(index.count, index.nodeSize);
    for (let entry = level.start; entry < level.end; entry++)
      features.push(numbers(4, (i) => file.readDoubleLE(index.start + entry * 40 + 8 * i)));
  }
  return { whole: source.statedExtent == null ? [] : [source.statedExtent], features };
}

/** The boxes of row groups are those of all rows here. */
async function geoparquetBoxes(path: string): Promise<StatedBoxes> {
  const [{ source }] = (await readFileLayers(geoparquet, path)).layers;
  const { boxes } = (source.state as ParquetState).groups;
  const group = [...boxes.slice(0, 4)];
  return {
    whole: [
      ...(source.statedExtent == null ? [] : [source.statedExtent]),
      ...(group.some(Number.isNaN) ? [] : [group]),
    ],
    features: [],
  };
}

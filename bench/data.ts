/**
 * Seeded data for benchmarks and large tests: the same bytes on every machine. Made on first use into bench/data/.
 * Buildings, roads, points and parcels around the world, each with six attributes of mixed types and some nulls.
 */
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export type Dataset = 'buildings' | 'roads' | 'points' | 'parcels';

export const DATA_DIRECTORY = join(import.meta.dirname, 'data');

/** mulberry32: small, fast, good enough for test data, and the same everywhere. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const KINDS = [
  'residential',
  'industrial',
  'school',
  'church',
  'shed',
  'greenhouse',
  'Straßenmeisterei',
  'hôtel',
];

/** Path of a GeoJSON file with `count` features of the dataset; makes it when it does not exist. */
export function datasetPath(dataset: Dataset, count: number): string {
  const path = join(DATA_DIRECTORY, `${dataset}-${count}.geojson`);
  if (!existsSync(path)) writeDataset(path, dataset, count);
  return path;
}

function writeDataset(path: string, dataset: Dataset, count: number): void {
  mkdirSync(DATA_DIRECTORY, { recursive: true });
  const partial = `${path}.part`;
  const file = openSync(partial, 'w');
  const random = seededRandom(20260101);
  let lines: string[] = ['{"type":"FeatureCollection","features":[\n'];
  for (let i = 0; i < count; i++) {
    const geometry = geometryOf(dataset, i, random);
    lines.push(
      `{"type":"Feature","properties":${propertiesOf(i, random)},"geometry":${geometry}}${i < count - 1 ? ',' : ''}\n`,
    );
    if (lines.length >= 20_000) {
      writeSync(file, lines.join(''));
      lines = [];
    }
  }
  lines.push(']}\n');
  writeSync(file, lines.join(''));
  closeSync(file);
  renameSync(partial, path);
}

function propertiesOf(i: number, random: () => number): string {
  const kind = KINDS[Math.floor(random() * KINDS.length)];
  const height = random() < 0.1 ? null : Math.round(random() * 60_000) / 1000;
  const levels = random() < 0.2 ? null : Math.floor(random() * 30);
  const heritage = random() < 0.05 ? null : random() < 0.1;
  const day = `20${String(10 + Math.floor(random() * 15))}-${pad(1 + Math.floor(random() * 12))}-${pad(1 + Math.floor(random() * 28))}`;
  const built = random() < 0.3 ? 'null' : `"${day}"`;
  return `{"id":${i + 1},"kind":"${kind}","height":${height},"levels":${levels},"heritage":${heritage},"built":${built}}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

function geometryOf(dataset: Dataset, i: number, random: () => number): string {
  // Inside the area of use of EPSG:32632, so that reprojection to it is meaningful.
  const x = 6.2 + random() * 5.6;
  const y = 44 + random() * 12;
  if (dataset === 'points') return `{"type":"Point","coordinates":${position(x, y)}}`;
  if (dataset === 'roads') return `{"type":"LineString","coordinates":[${walk(x, y, 12, random).join(',')}]}`;
  if (dataset === 'parcels') return `{"type":"Polygon","coordinates":[[${cell(i).join(',')}]]}`;
  return `{"type":"Polygon","coordinates":[[${building(x, y, random).join(',')}]]}`;
}

/** A ring of 6 to 15 positions about 20 m across. */
function building(x: number, y: number, random: () => number): string[] {
  const corners = 5 + Math.floor(random() * 10);
  const radius = 0.0001 + random() * 0.0002;
  const ring: string[] = [];
  for (let corner = 0; corner < corners; corner++) {
    const angle = (corner / corners) * 2 * Math.PI;
    const reach = radius * (0.7 + random() * 0.3);
    ring.push(position(x + reach * Math.cos(angle), y + reach * Math.sin(angle)));
  }
  ring.push(ring[0]);
  return ring;
}

function walk(x: number, y: number, count: number, random: () => number): string[] {
  const line: string[] = [];
  let atX = x;
  let atY = y;
  for (let i = 0; i < count; i++) {
    line.push(position(atX, atY));
    atX += (random() - 0.4) * 0.001;
    atY += (random() - 0.4) * 0.001;
  }
  return line;
}

/** Cells of a grid: neighbours share their borders exactly. */
function cell(i: number): string[] {
  const column = i % 224;
  const row = Math.floor(i / 224);
  const west = 8 + column * 0.002;
  const south = 48 + row * 0.002;
  const corners: [number, number][] = [
    [west, south],
    [west + 0.002, south],
    [west + 0.002, south + 0.002],
    [west, south + 0.002],
    [west, south],
  ];
  return corners.map(([x, y]) => position(x, y));
}

function position(x: number, y: number): string {
  return `[${x.toFixed(7)},${y.toFixed(7)}]`;
}

/** Features with the boxes of their parts on the Earth, and queries of indexes. */
import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { Findings } from '../../packages/core/src/messages/findings.ts';
import type { FormatReader, SourceLayer } from '../../packages/formats/src/reader.ts';
import { boxesOf, clearOutside, withTurns } from '../../packages/operations/src/filter/box.ts';
import { DEFAULT_INPUT_LIMITS } from './limits.ts';
import type { Box } from './stated-boxes.ts';

export interface Case {
  readonly geometry: {
    readonly type: string;
    readonly coordinates?: unknown;
    readonly geometries?: unknown;
  } | null;
  /** Boxes of its parts on the Earth, none across 180 degrees. */
  readonly parts: readonly Box[];
}

const polygon = (...rings: number[][][]) => ({ type: 'Polygon', coordinates: rings });
const line = (...positions: number[][]) => ({ type: 'LineString', coordinates: positions });
const box = (west: number, south: number, east: number, north: number): number[][] => [
  [west, south], [east, south], [east, north], [west, north], [west, south],
]; // biome-ignore format: corners
/** Polygon of which each longitude is the short way from the one before. */
const FIJI: readonly Box[] = [
  [178, -20, 180, -15],
  [-180, -20, -178, -15],
];

export const CASES: Readonly<Record<string, Case>> = {
  'a line that jumps': { geometry: line([170, 10], [-170, 20]), parts: [[170, 10, 180, 20], [-180, 10, -170, 20]] },
  'a line that goes on': { geometry: line([170, 10], [190, 20]), parts: [[170, 10, 180, 20], [-180, 10, -170, 20]] },
  'a line that goes on west': { geometry: line([-170, 10], [-190, 20]), parts: [[170, 10, 180, 20], [-180, 10, -170, 20]] },
  'a line over 180 twice': { geometry: line([170, 10], [-170, 20], [170, 30]), parts: [[170, 10, 180, 30], [-180, 10, -170, 30]] },
  'an area that jumps': { geometry: polygon(box(178, -20, -178, -15)), parts: FIJI },
  'an area that goes on': { geometry: polygon(box(178, -20, 182, -15)), parts: FIJI },
  'an area in two parts': { geometry: { type: 'MultiPolygon', coordinates: [[box(178, -20, 180, -15)], [box(-180, -20, -178, -15)]] }, parts: FIJI },
  'an area whose hole jumps': { geometry: polygon(box(178, -20, -178, -15), box(179, -19, -179, -16)), parts: FIJI },
  'an area with an edge along 180': { geometry: polygon(box(180, -20, -178, -15)), parts: [[-180, -20, -178, -15]] },
  'an area around the north pole': { geometry: polygon([[0, 80], [90, 75], [180, 80], [-90, 80], [0, 80]]), parts: [[-180, 80, 180, 90], [80, 75.5, 100, 90]] },
  'an area around the south pole, over 360 degrees': { geometry: polygon([[0, -80], [90, -80], [180, -80], [270, -80], [0, -80]]), parts: [[-180, -90, 180, -80]] },
  'an area around the pole with a hole there': { geometry: polygon([[0, 70], [120, 70], [-120, 70], [0, 70]], [[0, 80], [120, 80], [-120, 80], [0, 80]]), parts: [[-180, 70, 180, 80]] },
  'a closed area around the pole': { geometry: polygon([[-180, -90], [-180, -70], [0, -70], [180, -70], [180, -90], [-180, -90]]), parts: [[-180, -90, 180, -70]] },
  'points at 180 on both sides': { geometry: { type: 'MultiPoint', coordinates: [[180, 1], [-180, 2]] }, parts: [[180, 1, 180, 1], [-180, 2, -180, 2]] },
  'points on both sides': { geometry: { type: 'MultiPoint', coordinates: [[179, 1], [-179, 2]] }, parts: [[179, 1, 179, 1], [-179, 2, -179, 2]] },
  'a point beyond': { geometry: { type: 'Point', coordinates: [190, 5] }, parts: [[-170, 5, -170, 5]] },
  'a point and a line that jumps': {
    geometry: { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [0, 0] }, line([170, 10], [-170, 20])] },
    parts: [[0, 0, 0, 0], [170, 10, 180, 20], [-180, 10, -170, 20]],
  },
  'a wide area that does not jump': { geometry: polygon([[-170, 0], [0, 0], [170, 0], [170, 5], [0, 5], [-170, 5], [-170, 0]]), parts: [[-170, 0, 170, 5]] },
  'a line with Z that jumps': { geometry: line([170, 10, 5], [-170, 20, 6]), parts: [[170, 10, 180, 20], [-180, 10, -170, 20]] },
  'no geometry': { geometry: null, parts: [] },
  'an empty geometry': { geometry: { type: 'MultiPolygon', coordinates: [] }, parts: [] },
}; // biome-ignore format: one line each

/** Small areas all over the Earth, and the cases between them. */
export function manyCases(): Case[] {
  const all: Case[] = [];
  for (const { geometry, parts } of Object.values(CASES)) {
    for (let i = 0; i < 12; i++) {
      const [x, y] = [-175 + ((all.length * 37) % 345), -70 + ((all.length * 23) % 140)];
      all.push({ geometry: polygon(box(x, y, x + 1, y + 1)), parts: [] });
    }
    // What spoils an index of one kind of geometry is left out: null, empty and mixed ones.
    if (parts.length > 0 && geometry?.type.endsWith('Polygon') === true) all.push({ geometry, parts });
  }
  return all;
}

export function writeCases(path: string, cases: readonly Case[]): void {
  const features = cases.map(({ geometry }, n) => ({ type: 'Feature', properties: { n }, geometry }));
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
}

const QUERIES: readonly Box[] = [
  [178.5, -17, 179, -16], [-179, -17, -178.5, -16], [179, -17, -179, -16], [179, -17, 181, -16],
  [175, -30, -175, 30], [20, 85, 30, 86], [-100, 88, -90, 89], [30, -85, 31, -84], [170, -89, -170, -75],
  [0, 0, 10, 10], [-180, -90, 180, 90], [180, -20, 180, -15], [-180, -20, -180, -15], [150, 2, 160, 3],
]; // biome-ignore format: two lines

/**
 * What the index of the file leaves out has no feature in the box. Returns the number of partitions that are left out; null: the file has no index.
 */
export async function checkIndex(
  reader: FormatReader,
  path: string,
  scratchDirectory: string,
): Promise<number | null> {
  const opening = {
    scratchDirectory,
    limits: DEFAULT_INPUT_LIMITS,
    options: {},
    findings: new Findings(),
    partitionBytes: Math.ceil(statSync(path).size / 100),
  };
  let skipped: number | null = null;
  for (const source of await reader.open({ path, name: path }, opening))
    for (const query of QUERIES) {
      const own = checkQuery(reader, source, query);
      if (own !== null) skipped = (skipped ?? 0) + own;
    }
  return skipped;
}

function checkQuery(reader: FormatReader, source: SourceLayer, query: Box): number | null {
  const boxes = boxesOf([query[0], query[1], query[2], query[3]]);
  const isNear = reader.excerpts?.partitionsNear?.(source, { boxes: withTurns(boxes), widest: 180 }) ?? null;
  if (isNear === null) return null;
  let skipped = 0;
  for (const [i, partition] of source.partitions.entries()) {
    if (isNear[i] === 1) continue;
    const { batch } = reader.readPartition(source, partition, {
      fields: source.fields,
      limits: DEFAULT_INPUT_LIMITS,
    });
    const keeps = new Uint8Array(batch.rowCount).fill(1);
    clearOutside(keeps, batch.geometry, boxes, true);
    skipped++;
    assert.ok(!keeps.includes(1), `partition ${i} has a feature in ${query}`);
  }
  return skipped;
}

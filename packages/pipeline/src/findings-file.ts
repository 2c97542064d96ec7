/**
 * The findings of a conversion with the places of the features that they concern, as a GeoJSON FeatureCollection in
 * EPSG:4326. Bounded in features and bytes: a text that a file repeats in every feature must not fill a disk.
 */

import { WGS84 } from '@geomill/core/crs/crs.ts';
import { isPlainWgs84 } from '@geomill/core/crs/wgs84.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { ListedFinding, ListedRows } from '@geomill/core/messages/findings.ts';
import { shortText } from '@geomill/core/messages/short-text.ts';
import { utf8Length } from '@geomill/platform/bytes.ts';
import { writeNewFile } from '@geomill/platform/files.ts';
import type { Transformer } from '@geomill/proj/proj.ts';
import { loadProj } from './load-proj.ts';

/** Most features of the file. */
export const MAX_FEATURES = 50_000;
/** Most bytes of its features. */
export const MAX_BYTES = 20_000_000;
/** End of a file that lists no features. */
export const NO_FEATURES = '"features":[]}\n';
/** Longest message of a feature. */
const MAX_MESSAGE = 400;
/** Points along each side of a box that is reprojected: its sides may become curves. */
const STEPS_PER_SIDE = 8;
/** Decimals of a degree, about 1 mm: enough to find a feature. */
const DECIMALS = 8;

/** Writes the file, which must not exist. Features whose place is not known, or not in EPSG:4326, have no geometry. */
export async function writeFindings(
  path: string,
  findings: readonly ListedFinding[],
  gridDirectory: string | null,
): Promise<void> {
  const transformers = await transformersFor(findings, gridDirectory);
  const features: string[] = [];
  const listed = new Map<string, number>();
  const most = mostPerCode(findings);
  let bytes = 0;
  for (const finding of findings) {
    const { code } = finding;
    for (const part of finding.listed) {
      const geometries = geometriesOf(part, transformers.get(part.crs) ?? null);
      for (let i = 0; i < part.rows.rows.length; i++) {
        const already = listed.get(code) ?? 0;
        if (already >= most || bytes > MAX_BYTES) break;
        const feature = `{"type":"Feature","properties":${propertiesOf(finding, part, i)},"geometry":${geometries[i]}}`;
        bytes += utf8Length(feature) + 2;
        if (bytes > MAX_BYTES) break;
        features.push(feature);
        listed.set(code, already + 1);
      }
    }
  }
  const totals: Record<string, { count: number; listed: number }> = {};
  for (const { code, count } of findings) {
    totals[code] ??= { count: 0, listed: listed.get(code) ?? 0 };
    totals[code].count += count;
  }
  const head = `{"type":"FeatureCollection","totals":${JSON.stringify(totals)},`;
  const text =
    features.length === 0 ? head + NO_FEATURES : `${head}"features":[\n${features.join(',\n')}\n]}\n`;
  writeNewFile(path, text);
}

/** The features that each code may have, so that those with few are whole and all together are MAX_FEATURES at most. */
function mostPerCode(findings: readonly ListedFinding[]): number {
  const lengths = new Map<string, number>();
  for (const { code, listed } of findings)
    for (const { rows } of listed) lengths.set(code, (lengths.get(code) ?? 0) + rows.rows.length);
  let left = MAX_FEATURES;
  const ascending = [...lengths.values()].sort((a, b) => a - b);
  for (const [i, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - i));
    if (length > share) return share;
    left -= length;
  }
  return MAX_FEATURES;
}

/** Default: there is no number, or those before it were not counted. */
function numberAfter(number: number, before: number): number | undefined {
  return number > 0 && !Number.isNaN(before) ? number + before : undefined;
}

function propertiesOf({ entry, message }: ListedFinding, { rows, base, at }: ListedRows, i: number): string {
  const record = rows.records[i];
  const line = rows.lines?.[i] ?? 0;
  const id = rows.ids?.[i] ?? null;
  return JSON.stringify({
    code: entry.code,
    severity: entry.severity,
    message: shortText(message, MAX_MESSAGE),
    file: at.file,
    layer: at.layer,
    row: numberAfter(record, base.record),
    line: numberAfter(line, base.line),
    id: id === null ? undefined : shortText(id),
  });
}

/** Transformers from each CRS of the boxes to EPSG:4326; null: the CRS is EPSG:4326. A CRS without a known position on the Earth is missing. */
async function transformersFor(
  findings: readonly ListedFinding[],
  gridDirectory: string | null,
): Promise<ReadonlyMap<string, Transformer | 'same'>> {
  const transformers = new Map<string, Transformer | 'same'>();
  const unknown = new Set<string>();
  for (const { listed } of findings)
    for (const { crs, rows } of listed) {
      if (rows.boxes === null || transformers.has(crs) || unknown.has(crs)) continue;
      if (isPlainWgs84(crs)) {
        transformers.set(crs, 'same');
        continue;
      }
      try {
        transformers.set(crs, (await loadProj(gridDirectory)).transformer(crs, WGS84));
      } catch (error) {
        if (!(error instanceof GeomillError) || error.fault === 'ours') throw error;
        unknown.add(crs);
      }
    }
  return transformers;
}

/** JSON of the geometry of each feature: a point, a box as a polygon, or null. */
function geometriesOf({ rows }: ListedRows, transformer: Transformer | 'same' | null): string[] {
  const { boxes } = rows;
  return Array.from({ length: rows.rows.length }, (_, i) => {
    if (boxes === null || transformer === null) return 'null';
    const [minX, minY, maxX, maxY] = boxes.subarray(i * 4, i * 4 + 4);
    if (!Number.isFinite(minX + minY + maxX + maxY)) return 'null';
    if (transformer === 'same') return geometryOf([minX, minY, maxX, maxY], false);
    const box = boxInDegrees([minX, minY, maxX, maxY], transformer);
    return box === null ? 'null' : geometryOf(box, true);
  });
}

/** The bounds of the box's corners and of points along its sides; null if none of it can be transformed. */
function boxInDegrees(
  [minX, minY, maxX, maxY]: readonly [number, number, number, number],
  transformer: Transformer,
): number[] | null {
  const isPoint = minX === maxX && minY === maxY;
  const steps = isPoint ? 0 : STEPS_PER_SIDE;
  const positions: number[] = isPoint ? [minX, minY] : [];
  for (let i = 0; i < steps; i++) {
    const [x, y] = [minX + ((maxX - minX) * i) / steps, minY + ((maxY - minY) * i) / steps];
    positions.push(x, minY, maxX, y, maxX - (x - minX), maxY, minX, maxY - (y - minY));
  }
  const coordinates = Float64Array.from(positions);
  if (transformer.transform(coordinates, 'XY').failedPosition >= 0) return null;
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < coordinates.length; i += 2) {
    west = Math.min(west, coordinates[i]);
    east = Math.max(east, coordinates[i]);
    south = Math.min(south, coordinates[i + 1]);
    north = Math.max(north, coordinates[i + 1]);
  }
  return [west, south, east, north];
}

/**
 * Null for a box outside of all longitudes and latitudes. Positions on both sides of the antimeridian that were transformed
 * have bounds around the rest of the Earth: the point in the middle of the small box is its place.
 */
function geometryOf([west, south, east, north]: readonly number[], isTransformed: boolean): string {
  if (south < -90.000001 || north > 90.000001 || west < -360 || east > 360) return 'null';
  if (isTransformed && east - west > 180 && east <= 180 && west >= -180)
    return pointOf((west + 360 + east) / 2, (south + north) / 2);
  if (west < -180 || east > 180) return pointOf((west + east) / 2, (south + north) / 2);
  const [w, s, e, n] = [west, south, east, north].map(rounded);
  if (w === e && s === n) return pointOf(w, s);
  return `{"type":"Polygon","coordinates":[[[${w},${s}],[${e},${s}],[${e},${n}],[${w},${n}],[${w},${s}]]]}`;
}

function pointOf(longitude: number, latitude: number): string {
  const turns = longitude > 180 ? -360 : longitude < -180 ? 360 : 0;
  return `{"type":"Point","coordinates":[${rounded(longitude + turns)},${rounded(latitude)}]}`;
}

function rounded(degrees: number): number {
  return Number(degrees.toFixed(DECIMALS));
}

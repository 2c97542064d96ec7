/** Adds the places of features to findings: the boxes of their geometries in the batch in which they were found. */
import { isValid, valueAt } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { FieldMisfits } from '@geomill/core/columns/misfits.ts';
import { strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { type FindingRows, RowList, type RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { FoundFinding } from '@geomill/core/messages/findings.ts';
import { shortText } from '@geomill/core/messages/short-text.ts';

type Located = Pick<FeatureBatch, 'rowCount' | 'geometry' | 'ids'>;

/** The findings with boxes and ids of their rows, which are rows of these batches, counted from the first one on. */
export function locateFindings<Found extends FoundFinding | FieldMisfits>(
  findings: readonly Found[],
  batches: readonly Located[],
): readonly Found[] {
  if (findings.every(({ rows }) => rows === undefined)) return findings;
  return findings.map((finding) =>
    finding.rows === undefined ? finding : { ...finding, rows: locatedRows(finding.rows, batches) },
  );
}

/** The rows of a tally of the batch. */
export function locateTally(tally: RowTally, batch: Located): FindingRows {
  const list = new RowList();
  list.addTally(tally);
  return locatedRows(list.list(), [batch]);
}

/** The findings without their rows, for outputs that list no places. */
export function withoutRows<Found extends FoundFinding | FieldMisfits>(
  findings: readonly Found[],
): readonly Found[] {
  if (findings.every(({ rows }) => rows === undefined)) return findings;
  return findings.map((finding) => {
    const { rows: _, ...rest } = finding;
    return rest as Found;
  });
}

function locatedRows(found: FindingRows, batches: readonly Located[]): FindingRows {
  const { rows } = found;
  const boxes = new Float64Array(rows.length * 4).fill(Number.NaN);
  const ids = found.ids === null ? new Array<string | null>(rows.length).fill(null) : [...found.ids];
  let hasIds = found.ids !== null;
  let index = 0;
  let firstRow = 0;
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] < 0) continue;
    // Nearly always ascending; of several batches, a row before the current one starts the search again.
    if (rows[i] < firstRow) [index, firstRow] = [0, 0];
    while (index < batches.length && rows[i] >= firstRow + batches[index].rowCount)
      firstRow += batches[index++].rowCount;
    const batch = batches.at(index);
    if (batch === undefined) continue;
    const row = rows[i] - firstRow;
    boxOf(batch, row, boxes, i * 4);
    if (ids[i] === null) ids[i] = idOf(batch, row);
    if (ids[i] !== null) hasIds = true;
  }
  return { ...found, boxes, ids: hasIds ? ids : null };
}

function boxOf({ geometry }: Located, row: number, boxes: Float64Array, at: number): void {
  const { coordinates, dimensions, partOffsets, ringOffsets, coordOffsets } = geometry;
  const stride = strideOf(dimensions);
  const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
  let minX = Number.POSITIVE_INFINITY;
  let minY = Number.POSITIVE_INFINITY;
  let maxX = Number.NEGATIVE_INFINITY;
  let maxY = Number.NEGATIVE_INFINITY;
  for (let i = coordOffsets[ringOffsets[partOffsets[row]]] * stride; i < end; i += stride) {
    const x = coordinates[i];
    const y = coordinates[i + 1];
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  if (minX <= maxX && minY <= maxY) boxes.set([minX, minY, maxX, maxY], at);
}

/** Ids of several types in one layer are JSON texts. */
function textOfJson(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : json;
}

function idOf({ ids }: Located, row: number): string | null {
  if (ids === null || !isValid(ids.validity, row)) return null;
  const text = String(valueAt(ids, row));
  return shortText(ids.type === 'json' ? textOfJson(text) : text);
}

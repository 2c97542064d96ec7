/** Rounds positions, and leaves out what collapses. */
import {
  type GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { stepFindings } from '../findings.ts';
import { lengthInCrs, metersOf } from '../parts/lengths.ts';
import { MAPPED, mapGeometries } from '../parts/map-geometries.ts';
import type { StepParameters, StepSetting, StreamingTransformation } from '../transformation.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  async prepare(parameters, setting) {
    const round = roundingTo(sizeOf(parameters, setting));
    return (batch, findings) => {
      const collapsed = new RowTally();
      const { dimensions } = batch.geometry;
      const snapped = mapGeometries(batch, findings, 'snap', dimensions, (column, row, builder) => {
        const before = builder.partCount;
        const parts = appendSnapped(column, row, builder, round);
        if (builder.partCount === before) return MAPPED.dropped;
        if (parts === 'fewer') collapsed.add(row);
        builder.endFeature(column.types[row]);
        return MAPPED.copied;
      });
      findings.noteTally(stepFindings.PARTS_COLLAPSED, {}, collapsed);
      return snapped;
    };
  },
};

function sizeOf({ size, units }: StepParameters, { crs }: StepSetting): number {
  return units === 'crs' ? (size as number) : lengthInCrs(metersOf(size, units), crs);
}

/** With the inverse of a decimal size, results are the numbers that have these decimals: 0.1 and not 0.1000000000000001. */
function roundingTo(size: number): (value: number) => number {
  const inverse = 1 / size;
  const whole = Math.round(inverse);
  if (size < 1 && Math.abs(inverse - whole) < 1e-9 * inverse)
    return (value) => {
      const snapped = Math.round(value * whole) / whole;
      return Number.isFinite(snapped) ? snapped + 0 : value;
    };
  return (value) => {
    const snapped = Math.round(value / size) * size;
    return Number.isFinite(snapped) ? snapped + 0 : value;
  };
}

/** Appends the parts of the row that are left, in which rings may be missing. */
function appendSnapped(
  column: GeometryColumn,
  row: number,
  builder: GeometryBuilder,
  round: (value: number) => number,
): 'all' | 'fewer' {
  const { partOffsets, partKinds, ringOffsets, coordOffsets } = column;
  let result: 'all' | 'fewer' = 'all';
  // The first part of a member of a collection was dropped: its next one is the first now.
  let isHeadless = false;
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    const kind = partKinds[part] & PART_KIND_MASK;
    const partCount = builder.partCount;
    let isLeft = ringOffsets[part] === ringOffsets[part + 1];
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const isKept = appendRing(column, coordOffsets[ring], coordOffsets[ring + 1], kind, builder, round);
      if (!isKept) result = 'fewer';
      if (ring === ringOffsets[part]) isLeft = isKept;
      if (!isLeft) break;
    }
    const marks = partKinds[part];
    if ((marks & PART_MULTI_NEXT) === 0) isHeadless = false;
    if (isLeft) {
      builder.endPart(isHeadless ? kind | PART_MULTI_FIRST : marks);
      isHeadless = false;
    } else {
      builder.rewind(partCount);
      if ((marks & PART_MULTI_FIRST) !== 0) isHeadless = true;
    }
  }
  return result;
}

/** False: the ring collapsed, and nothing was appended. */
function appendRing(
  { coordinates, dimensions }: GeometryColumn,
  start: number,
  end: number,
  kind: number,
  builder: GeometryBuilder,
  round: (value: number) => number,
): boolean {
  const stride = strideOf(dimensions);
  builder.reserve((end - start) * stride);
  const target = builder.coordinates;
  const from = builder.coordinateLength;
  let to = from;
  for (let at = start * stride; at < end * stride; at += stride) {
    target[to] = round(coordinates[at]);
    target[to + 1] = round(coordinates[at + 1]);
    for (let i = 2; i < stride; i++) target[to + i] = coordinates[at + i];
    if (to === from || !isSame(target, to - stride, to, stride)) to += stride;
  }
  const count = (to - from) / stride;
  const isCollapsed =
    (kind === PART_KIND.line && end - start > 1 && count < 2) ||
    (kind === PART_KIND.polygon && !hasThreePlaces(target, from, to, stride));
  if (isCollapsed) return false;
  builder.coordinateLength = to;
  builder.endRing();
  return true;
}

/** All ordinates: positions above each other are different ones. */
function isSame(values: Float64Array, a: number, b: number, stride: number): boolean {
  for (let i = 0; i < stride; i++) if (!Object.is(values[a + i], values[b + i])) return false;
  return true;
}

/** Whether the ring has three positions that differ in x or y. */
function hasThreePlaces(values: Float64Array, from: number, to: number, stride: number): boolean {
  let second = -1;
  for (let at = from + stride; at < to; at += stride) {
    if (isPlace(values, from, at)) continue;
    if (second < 0) second = at;
    else if (!isPlace(values, second, at)) return true;
  }
  return false;
}

function isPlace(values: Float64Array, a: number, b: number): boolean {
  return values[a] === values[b] && values[a + 1] === values[b + 1];
}

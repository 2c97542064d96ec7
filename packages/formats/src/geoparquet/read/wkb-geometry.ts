/** Reads a column of WKB as geometries. */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
} from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE_FINDINGS } from '@geomill/core/geometry/geometry-notes.ts';
import { WkbReader } from '@geomill/core/geometry/wkb.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { formatFindings } from '../../findings.ts';
import { geoparquetErrors } from '../messages.ts';
import type { Segment } from './chunk-reader.ts';
import { byteLengthOf } from './flat-column.ts';
import type { SchemaNode } from './schema.ts';
import type { ByteValues } from './values.ts';

export interface GeometryContext {
  readonly source: string;
  readonly column: string;
  readonly coordinatesPerFeature: number;
  readonly findings: Findings;
}

/** Throws GEOPARQUET_ROW, LIMIT_EXCEEDED and ParquetFault. */
export function readWkbGeometries(
  leaf: SchemaNode,
  segments: readonly Segment[],
  rowCount: number,
  context: GeometryContext,
): GeometryColumn {
  const bytes = byteLengthOf(segments, leaf.definition, context.column);
  const builder = new GeometryBuilder('XY', rowCount, Math.ceil(bytes / 16));
  const wkb = new WkbReader();
  const tallies = GEOMETRY_NOTE_FINDINGS.map(() => new RowTally());
  const empty = new RowTally();
  let row = 0;
  let positions = 0;
  for (const { count, definitions, values, firstValue } of segments) {
    const { bytes: source, starts, ends } = values as ByteValues;
    for (let i = 0, value = firstValue; i < count; i++, row++) {
      if (definitions !== null && definitions[i] !== leaf.definition) {
        builder.endFeature(GEOMETRY_TYPE.none);
        continue;
      }
      const start = starts[value];
      const end = ends[value++];
      if (start === end) {
        empty.add(row);
        builder.endFeature(GEOMETRY_TYPE.none);
        continue;
      }
      try {
        wkb.read(source, start, end, builder);
      } catch (error) {
        if (!(error instanceof GeomillError) || error.code !== 'WKB_SYNTAX') throw error;
        throw rowFailure(
          context,
          row,
          `${error.params.reason}, at byte ${error.params.offset} of its geometry`,
        );
      }
      if (wkb.notes !== 0)
        for (const [bit, [mask]] of GEOMETRY_NOTE_FINDINGS.entries())
          if ((wkb.notes & mask) !== 0) tallies[bit].add(row);
      checkPositions(builder.positionCount - positions, row, context);
      positions = builder.positionCount;
    }
  }
  const { findings, column } = context;
  for (const [i, [, entry]] of GEOMETRY_NOTE_FINDINGS.entries()) findings.noteTally(entry, {}, tallies[i]);
  findings.noteTally(formatFindings.VALUE_INVALID, { field: column, type: 'WKB' }, empty);
  return builder.finish();
}

/** Throws LIMIT_EXCEEDED. */
export function checkPositions(actual: number, row: number, context: GeometryContext): void {
  const limit = context.coordinatesPerFeature;
  if (actual <= limit) return;
  const what = 'the number of positions of one feature';
  throw failure(
    generalErrors.LIMIT_EXCEEDED,
    { what, actual, limit, setting: 'MAX_FEATURE_COORDINATES' },
    { record: row + 1 },
  );
}

function rowFailure({ source, column }: GeometryContext, row: number, reason: string): GeomillError {
  return failure(
    geoparquetErrors.GEOPARQUET_ROW,
    { source, record: row + 1, column, reason },
    { record: row + 1 },
  );
}

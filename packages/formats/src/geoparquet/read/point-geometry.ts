/** Reads columns of coordinates as points. */

import { type AttributeColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import { MisfitList } from '@geomill/core/columns/misfits.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
} from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import { commonTableFindings } from '../../tables/findings.ts';
import { endPoint } from '../../tables/row-reader.ts';
import { damaged } from '../fault.ts';
import { geoparquetErrors } from '../messages.ts';
import type { Segment } from './chunk-reader.ts';
import { readScalarColumn } from './flat-column.ts';
import type { CoordinatePlan, PointPlan } from './point-columns.ts';

export interface PointContext {
  readonly source: string;
  readonly rowCount: number;
  readonly findings: Findings;
  readonly segments: (plan: CoordinatePlan) => readonly Segment[];
}

/** A row without both coordinates has no geometry. Throws GEOPARQUET_ROW for other rows without a position, and ParquetFault. */
export function readPoints(plan: PointPlan, context: PointContext): GeometryColumn {
  const { rowCount, findings } = context;
  const [x, y] = [ordinates(plan.x, context), ordinates(plan.y, context)];
  const z = plan.z === null ? null : ordinates(plan.z, context);
  const builder = new GeometryBuilder(z === null ? 'XY' : 'XYZ', rowCount, rowCount * (z === null ? 2 : 3));
  const missing = new RowTally();
  const zero = new RowTally();
  for (let row = 0; row < rowCount; row++) {
    const [a, b] = [x[row], y[row]];
    if (Number.isNaN(a) && Number.isNaN(b)) {
      missing.add(row);
      builder.endFeature(GEOMETRY_TYPE.none);
      continue;
    }
    if (!Number.isFinite(a) || !Number.isFinite(b)) throw noPosition(plan, context.source, row, a, b);
    if (a === 0 && b === 0) zero.add(row);
    builder.position(a, b, z === null ? Number.NaN : z[row]);
    endPoint(builder);
  }
  findings.noteTally(commonTableFindings.COORDINATES_MISSING, {}, missing);
  findings.noteTally(commonTableFindings.COORDINATES_ZERO, {}, zero);
  return builder.finish();
}

function noPosition(plan: PointPlan, source: string, row: number, x: number, y: number): Error {
  const { name } = (Number.isFinite(x) ? plan.y : plan.x).field;
  const isMissing = Number.isNaN(x) || Number.isNaN(y);
  const reason = isMissing
    ? 'one coordinate is missing and the other is not'
    : 'infinity is not a coordinate';
  return failure(
    geoparquetErrors.GEOPARQUET_ROW,
    { source, record: row + 1, column: name, reason },
    { record: row + 1 },
  );
}

/** One number for each row; NaN: null. */
function ordinates(plan: CoordinatePlan, context: PointContext): Float64Array {
  const misfits = new MisfitList();
  const { rowCount, findings } = context;
  const column = readScalarColumn(plan, context.segments(plan), { rowCount, findings, misfits });
  if (misfits.list().length > 0)
    throw damaged(`column '${plan.field.name}' has numbers with more digits than its type declares`);
  if (column.type === 'float64' && column.validity === null) return column.values;
  const values = new Float64Array(rowCount);
  const numberAt = numbersOf(column);
  for (let row = 0; row < rowCount; row++)
    values[row] = isValid(column.validity, row) ? numberAt(row) : Number.NaN;
  return values;
}

function numbersOf(column: AttributeColumn): (row: number) => number {
  if ('values' in column) return (row) => Number(column.values[row]);
  // Decimals with more digits than a number has exactly.
  const { bytes, offsets } = column;
  return (row) => Number(latin1Text(bytes, offsets[row], offsets[row + 1]));
}

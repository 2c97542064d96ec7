/** All polygons of a layer go to one worker, which simplifies them as one coverage and gives a column back for each batch. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { type GeometryColumn, geometryBuffers, hasM } from '@geomill/core/geometry/geometry-column.ts';
import { rowDimensions } from '@geomill/core/geometry/row-dimensions.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { Geos } from '@geomill/geos/geos.ts';
import { stepFindings } from '../findings.ts';
import { lengthInCrs, metersOf } from '../parts/lengths.ts';
import { withRows } from '../parts/take-rows.ts';
import type {
  AnswerCall,
  CollectingHost,
  CollectingTransformation,
  StepParameters,
  StepSetting,
} from '../transformation.ts';
import { CHANGED, type SimplifiedColumn, simplifyColumns } from './simplify-columns.ts';

export const code: CollectingTransformation = { kind: 'collecting', collect, prepare };

const OPERATION = { operation: 'simplify_coverage' } as const;

async function collect(
  batches: readonly FeatureBatch[],
  _parameters: StepParameters,
  _setting: StepSetting,
  host: CollectingHost,
): Promise<Iterable<FeatureBatch>> {
  const columns = batches.map(({ geometry }) => geometry);
  const simplified = (await host.call(columns)) as readonly SimplifiedColumn[];
  let firstRow = 0;
  return batches.map((batch, i) => {
    const { geometry, rows, changes } = simplified[i];
    noteChanges(batch.geometry, changes, firstRow, host);
    firstRow += batch.rowCount;
    return rows.length === batch.rowCount ? { ...batch, geometry } : withRows(batch, rows, geometry);
  });
}

/** `firstRow`: of the batch in the layer. */
function noteChanges(
  before: GeometryColumn,
  changes: Uint8Array,
  firstRow: number,
  { findings }: CollectingHost,
): void {
  const repaired = new RowTally();
  const dropped = new RowTally();
  const withoutM = new RowTally();
  for (let row = 0; row < changes.length; row++) {
    if (changes[row] === CHANGED.dropped) dropped.add(firstRow + row);
    if (changes[row] === CHANGED.repaired) repaired.add(firstRow + row);
    const isRedrawn = changes[row] === CHANGED.simplified || changes[row] === CHANGED.repaired;
    if (isRedrawn && hasM(before.dimensions) && hasM(rowDimensions(before, row)))
      withoutM.add(firstRow + row);
  }
  findings.noteTally(stepFindings.GEOMETRY_DROPPED, OPERATION, dropped);
  findings.noteTally(stepFindings.GEOMETRY_REPAIRED, OPERATION, repaired);
  findings.noteTally(generalFindings.M_DROPPED, { format: OPERATION.operation }, withoutM);
}

async function prepare(parameters: StepParameters, { crs }: StepSetting): Promise<AnswerCall> {
  const geos = await Geos.load();
  const form = {
    tolerance: lengthInCrs(metersOf(parameters.tolerance, parameters.units), crs),
    keepsOutline: parameters.keep_outline === true,
    radiansPerUnit: crs.kind === 'geographic' ? crs.unitFactor : null,
  };
  return (payload) => {
    const result = simplifyColumns(geos, payload as readonly GeometryColumn[], form);
    const transfer = result.flatMap(({ geometry, rows, changes }) => [
      ...geometryBuffers(geometry),
      rows.buffer,
      changes.buffer,
    ]);
    return { result, transfer };
  };
}

/** Keeps the features that meet the conditions. */
import type { FeatureBatch } from '../../batch/feature-batch.ts';
import { epsgCode, parseEpsg } from '../../crs/crs.ts';
import { indexOfField } from '../parts/known-field.ts';
import { takeFeatures } from '../parts/take-geometry.ts';
import type { ApplyStep, StepParameters, StepSetting, StreamingTransformation } from '../transformation.ts';
import { type Box, boxesOf, clearOutside, transformedBox } from './box.ts';
import { type Condition, fieldsOfCondition, refuseCondition } from './condition.ts';
import { evaluate } from './evaluate.ts';
import { parseCondition } from './parse-condition.ts';
import { TRUE } from './verdict.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  usesFields: ({ where }) => where !== undefined,
  selects: true,
  boxes: (parameters, setting) =>
    parameters.bbox === undefined ? null : boxesInDataCrs(parameters, setting),
  outputFields(fields, { where }) {
    if (where === undefined) return fields;
    for (const name of fieldsOfCondition(parseCondition(where, 'where'))) indexOfField(fields, name);
    return fields;
  },
  prepare,
};

async function prepare(parameters: StepParameters, setting: StepSetting): Promise<ApplyStep> {
  const path = `${setting.path}.where`;
  const condition = parameters.where === undefined ? null : parseCondition(parameters.where, path);
  const boxes = code.boxes?.(parameters, setting) ?? null;
  return (batch) => filterBatch(batch, condition, boxes, path);
}

function boxesInDataCrs(parameters: StepParameters, setting: StepSetting): readonly Box[] {
  const box = parameters.bbox as unknown as Box;
  const { crs, path } = setting;
  const wanted = parseEpsg(parameters.bbox_crs ?? 4326, `${path}.bbox_crs`);
  const authority = crs.authority === null ? null : `${crs.authority.name}:${crs.authority.code}`;
  const code = epsgCode(wanted);
  if (code === epsgCode(crs.definition) || `EPSG:${code}` === authority?.toUpperCase())
    return crs.kind === 'geographic' ? boxesOf(box) : [box];
  if (code !== 4326) {
    const reason = `must be EPSG:4326 or the CRS of the data here, which is ${authority ?? crs.name}`;
    throw refuseCondition(`${path}.bbox_crs`, reason);
  }
  return boxesOf(box).map((one) => transformedBox(one, setting.fromWgs84, `${path}.bbox`));
}

function filterBatch(
  batch: FeatureBatch,
  condition: Condition | null,
  boxes: readonly Box[] | null,
  path: string,
): FeatureBatch {
  const { rowCount } = batch;
  const keeps = condition === null ? new Uint8Array(rowCount).fill(1) : evaluate(condition, batch, path);
  if (condition !== null) for (let row = 0; row < rowCount; row++) keeps[row] = keeps[row] === TRUE ? 1 : 0;
  if (boxes !== null) clearOutside(keeps, batch.geometry, boxes);
  let count = 0;
  for (let row = 0; row < rowCount; row++) count += keeps[row];
  if (count === rowCount) return batch;
  const rows = new Uint32Array(count);
  for (let row = 0, at = 0; row < rowCount; row++) if (keeps[row] === 1) rows[at++] = row;
  return takeFeatures(batch, rows);
}

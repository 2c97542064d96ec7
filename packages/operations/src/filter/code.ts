/** Keeps the features that meet the conditions. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { epsgCode, parseEpsg } from '@geomill/core/crs/crs.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { compileCondition } from '@geomill/expressions/compile.ts';
import { type Expression, needsRows, refuseExpression } from '@geomill/expressions/expression.ts';
import { evaluationOf } from '@geomill/expressions/node.ts';
import { parseExpression } from '@geomill/expressions/parse.ts';
import type { ExpressionSetting } from '@geomill/expressions/setting.ts';
import { TRUE } from '@geomill/expressions/verdict.ts';
import { wantedValuesOf } from '@geomill/expressions/wanted-values.ts';
import { compiledFor, noteInto, settingFor } from '../parts/expressions.ts';
import { takeFeatures } from '../parts/take-geometry.ts';
import type { ApplyStep, StepParameters, StepSetting, StreamingTransformation } from '../transformation.ts';
import { type Box, boxesOf, clearOutside, transformedBox, withTurns } from './box.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  usesFields: ({ where }) => where !== undefined,
  numbersRows: ({ where }) => where !== undefined && needsRows(parseExpression(where, 'where')),
  selects: true,
  hasBoxes: ({ bbox }) => bbox !== undefined,
  boxes(parameters, setting) {
    if (parameters.bbox === undefined) return null;
    const boxes = boxesInDataCrs(parameters, setting);
    return isInDegrees(setting.crs)
      ? { boxes: withTurns(boxes), widest: 180 }
      : { boxes, widest: Number.POSITIVE_INFINITY };
  },
  wantedValues: ({ where }) => (where === undefined ? [] : wantedValuesOf(parseExpression(where, 'where'))),
  outputFields(fields, { where }, stepPath) {
    if (where === undefined) return fields;
    const path = `${stepPath}.where`;
    compileCondition(parseExpression(where, path), { fields, path, setting: null });
    return fields;
  },
  prepare,
};

async function prepare(parameters: StepParameters, setting: StepSetting): Promise<ApplyStep> {
  const path = `${setting.path}.where`;
  const condition = parameters.where === undefined ? null : parseExpression(parameters.where, path);
  const keptRows =
    condition === null ? null : rowsOf(condition, await settingFor(setting, [condition]), path);
  const boxes = parameters.bbox === undefined ? null : boxesInDataCrs(parameters, setting);
  const hasDegrees = isInDegrees(setting.crs);
  return (batch, findings, rowsBefore = null) => {
    const { rowCount, geometry } = batch;
    const keeps =
      keptRows === null ? new Uint8Array(rowCount).fill(1) : keptRows(batch, findings, rowsBefore);
    if (boxes !== null) clearOutside(keeps, geometry, boxes, hasDegrees);
    return rowsLeft(batch, keeps);
  };
}

/** 1 for each row that is kept. */
type KeptRows = (
  batch: FeatureBatch,
  findings: Findings,
  rowsBefore: number | null,
) => Uint8Array<ArrayBuffer>;

function rowsOf(condition: Expression, setting: ExpressionSetting, path: string): KeptRows {
  const compiled = compiledFor((fields) => compileCondition(condition, { fields, path, setting }));
  return (batch, findings, rowsBefore = null) => {
    const evaluation = evaluationOf(batch, path, noteInto(findings, path), rowsBefore);
    const keeps = compiled(batch.fields)(evaluation).slice();
    for (let row = 0; row < batch.rowCount; row++) keeps[row] = keeps[row] === TRUE ? 1 : 0;
    return keeps;
  };
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
    throw refuseExpression(`${path}.bbox_crs`, reason);
  }
  return boxesOf(box).map((one) => transformedBox(one, setting.fromWgs84, `${path}.bbox`));
}

function rowsLeft(batch: FeatureBatch, keeps: Uint8Array): FeatureBatch {
  const { rowCount } = batch;
  let count = 0;
  for (let row = 0; row < rowCount; row++) count += keeps[row];
  if (count === rowCount) return batch;
  const rows = new Uint32Array(count);
  for (let row = 0, at = 0; row < rowCount; row++) if (keeps[row] === 1) rows[at++] = row;
  return takeFeatures(batch, rows);
}

/** Gives all positions the same ordinates. */
import { type AttributeColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import {
  type Dimensions,
  type GeometryColumn,
  hasM,
  hasZ,
  restride,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { numbersOf } from '@geomill/expressions/arithmetic.ts';
import { compile } from '@geomill/expressions/compile.ts';
import { needsRows } from '@geomill/expressions/expression.ts';
import { evaluationOf, type Node } from '@geomill/expressions/node.ts';
import { parseExpression } from '@geomill/expressions/parse.ts';
import type { ExpressionSetting } from '@geomill/expressions/setting.ts';
import { compiledFor, noteInto, settingFor } from '../parts/expressions.ts';
import type { StepParameters, StreamingTransformation } from '../transformation.ts';
import { checkOrdinate } from './record.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  usesFields: ({ z, m }) => typeof z !== 'number' || typeof m !== 'number',
  outputFields: (fields, parameters, path) => {
    nodesFor(fields, parameters, path, null);
    return fields;
  },
  numbersRows: ({ z, m }) => [z, m].some((source) => needsRows(parseExpression(source, ''))),
  async prepare(parameters, setting) {
    const to = parameters.to as Dimensions;
    const parsed = [parameters.z, parameters.m].map((source) => parseExpression(source, setting.path));
    const own = await settingFor(setting, parsed);
    const nodes = compiledFor((fields) => nodesFor(fields, parameters, setting.path, own));
    return (batch, findings, rowsBefore = null) =>
      withDimensions(batch, to, nodes(batch.fields), parameters.replace === true, findings, rowsBefore);
  },
};

/** What is computed for an ordinate. */
interface Ordinate {
  readonly name: 'Z' | 'M';
  readonly path: string;
  readonly node: Node;
}

/** Throws FIELD_UNKNOWN and TRANSFORMATION_INVALID. */
function nodesFor(
  fields: readonly Field[],
  parameters: StepParameters,
  path: string,
  setting: ExpressionSetting | null,
): readonly Ordinate[] {
  return (['Z', 'M'] as const)
    .filter((name) => (parameters.to as string).includes(name))
    .map((name) => {
      const own = `${path}.${name.toLowerCase()}`;
      const node = compile(parseExpression(parameters[name.toLowerCase()], own), {
        fields,
        path: own,
        setting,
      });
      checkOrdinate(node, own);
      return { name, path: own, node };
    });
}

function withDimensions(
  batch: FeatureBatch,
  to: Dimensions,
  ordinates: readonly Ordinate[],
  replaces: boolean,
  findings: Findings,
  rowsBefore: number | null,
): FeatureBatch {
  const { geometry } = batch;
  const coordinates = restride(geometry.coordinates, geometry.dimensions, to);
  for (const { name, path, node } of ordinates) {
    const column = node.column(evaluationOf(batch, path, noteInto(findings, name), rowsBefore));
    const at = name === 'Z' ? 2 : strideOf(to) - 1;
    const isKept = !replaces && (name === 'Z' ? hasZ(geometry.dimensions) : hasM(geometry.dimensions));
    fill(geometry, coordinates, strideOf(to), at, column, batch.rowCount, isKept);
  }
  return { ...batch, geometry: { ...geometry, dimensions: to, coordinates } };
}

/** Sets an ordinate of all positions, or of those that have none. */
function fill(
  { partOffsets, ringOffsets, coordOffsets }: GeometryColumn,
  coordinates: Float64Array,
  stride: number,
  offset: number,
  column: AttributeColumn,
  rowCount: number,
  keepsExisting: boolean,
): void {
  const values = numbersOf(column, rowCount);
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(column.validity, row)) continue;
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]];
    for (let position = coordOffsets[ringOffsets[partOffsets[row]]]; position < end; position++) {
      const at = position * stride + offset;
      if (!keepsExisting || Number.isNaN(coordinates[at])) coordinates[at] = values[row];
    }
  }
}

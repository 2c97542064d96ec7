/** Evaluates expressions column by column. */
import { castColumn } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { compile } from '@geomill/expressions/compile.ts';
import { type Expression, needsRows } from '@geomill/expressions/expression.ts';
import { evaluationOf, type Node } from '@geomill/expressions/node.ts';
import { parseExpression } from '@geomill/expressions/parse.ts';
import type { ExpressionSetting } from '@geomill/expressions/setting.ts';
import { calculatedType } from '../parts/calculated-type.ts';
import { compiledFor, noteInto, settingFor, withOwnBuffers } from '../parts/expressions.ts';
import { changedField } from '../parts/new-fields.ts';
import type { StepParameters, StreamingTransformation } from '../transformation.ts';
import { expressionPath } from './record.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  outputFields: (fields, parameters, path) =>
    assignmentsFor(fields, expressionsOf(parameters, path), null).fields,
  numbersRows: (parameters) => expressionsOf(parameters, '').some(({ expression }) => needsRows(expression)),
  async prepare(parameters, setting) {
    const expressions = expressionsOf(parameters, setting.path);
    const own = await settingFor(
      setting,
      expressions.map(({ expression }) => expression),
    );
    const assignments = compiledFor((fields) => assignmentsFor(fields, expressions, own));
    return (batch, findings, rowsBefore = null) =>
      assigned(batch, assignments(batch.fields), findings, rowsBefore);
  },
};

interface NamedExpression {
  readonly name: string;
  readonly expression: Expression;
  readonly path: string;
}

function expressionsOf({ fields }: StepParameters, path: string): readonly NamedExpression[] {
  return Object.entries(fields as object).map(([name, source]) => {
    const own = expressionPath(path, name);
    return { name, expression: parseExpression(source, own), path: own };
  });
}

interface Assignment {
  readonly name: string;
  readonly path: string;
  /** Of the column that is replaced, or the number of columns before it. */
  readonly index: number;
  readonly node: Node;
  /** After the assignment. */
  readonly fields: readonly Field[];
}

interface Assignments {
  readonly list: readonly Assignment[];
  /** After all of them. */
  readonly fields: readonly Field[];
}

/** Throws FIELD_UNKNOWN and TRANSFORMATION_INVALID. */
function assignmentsFor(
  before: readonly Field[],
  expressions: readonly NamedExpression[],
  setting: ExpressionSetting | null,
): Assignments {
  let fields = before;
  const list = expressions.map(({ name, expression, path }): Assignment => {
    const node = compile(expression, { fields, path, setting });
    const found = fields.findIndex((field) => field.name === name);
    const index = found < 0 ? fields.length : found;
    fields = fields.toSpliced(
      index,
      1,
      changedField(fields[index], { name, type: calculatedType(node, path) }),
    );
    return { name, path, index, node, fields };
  });
  return { list, fields };
}

function assigned(
  batch: FeatureBatch,
  { list }: Assignments,
  findings: Findings,
  rowsBefore: number | null,
): FeatureBatch {
  let current = batch;
  for (const { name, path, index, node, fields } of list) {
    const note = noteInto(findings, `field '${name}'`);
    const values = node.column(evaluationOf(current, path, note, rowsBefore));
    const computed = castColumn(values, fields[index].type, batch.rowCount);
    const column = withOwnBuffers(computed, current);
    current = { ...current, fields, columns: current.columns.toSpliced(index, 1, column) };
  }
  return current;
}

/** Appends the values by which an output is split, as the last field of the features. */
import { castColumn } from '@geomill/core/columns/cast.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { compile } from '@geomill/expressions/compile.ts';
import { type Expression, needsRows } from '@geomill/expressions/expression.ts';
import { evaluationOf, type Node } from '@geomill/expressions/node.ts';
import { parseExpression } from '@geomill/expressions/parse.ts';
import type { ExpressionSetting } from '@geomill/expressions/setting.ts';
import { calculatedType } from '../parts/calculated-type.ts';
import { compiledFor, noteInto, settingFor, withOwnBuffers } from '../parts/expressions.ts';
import type { StepParameters, StreamingTransformation } from '../transformation.ts';
import type { SplitBy } from './record.ts';

/** What a text is, is known only with the fields; both need to be parsed before. */
interface Readings {
  readonly name: string | null;
  /** An error where the text is no expression. */
  readonly expression: Expression | Error;
  readonly path: string;
}

export const code: StreamingTransformation = {
  kind: 'streaming',
  outputFields: (fields, parameters, path) =>
    withKey(fields, nodeFor(fields, readingsOf(parameters, path), null), path),
  numbersRows(parameters) {
    const { expression } = readingsOf(parameters, '');
    return !(expression instanceof Error) && needsRows(expression);
  },
  async prepare(parameters, setting) {
    const { path } = setting;
    const readings = readingsOf(parameters, path);
    const { expression } = readings;
    const own = await settingFor(setting, expression instanceof Error ? [] : [expression]);
    const nodes = compiledFor((fields) => nodeFor(fields, readings, own));
    return (batch, findings, rowsBefore = null) => {
      const node = nodes(batch.fields);
      const fields = withKey(batch.fields, node, path);
      const values = node.column(evaluationOf(batch, path, noteInto(findings, path), rowsBefore));
      const column = castColumn(values, fields[fields.length - 1].type, batch.rowCount);
      return { ...batch, fields, columns: [...batch.columns, withOwnBuffers(column, batch)] };
    };
  },
};

function readingsOf({ by }: StepParameters, path: string): Readings {
  const name = typeof by === 'string' ? by : null;
  try {
    return { name, expression: parseExpression(by as SplitBy, path), path };
  } catch (error) {
    if (name === null) throw error;
    return { name, expression: error as Error, path };
  }
}

/** Throws FIELD_UNKNOWN and TRANSFORMATION_INVALID. */
function nodeFor(
  fields: readonly Field[],
  { name, expression, path }: Readings,
  setting: ExpressionSetting | null,
): Node {
  const isField = fields.some((field) => field.name === name);
  if (isField) return compile({ kind: 'field', name: name as string, place: 0 }, { fields, path, setting });
  if (expression instanceof Error) throw expression;
  return compile(expression, { fields, path, setting });
}

function withKey(fields: readonly Field[], node: Node, path: string): readonly Field[] {
  let name = '\0split_by';
  while (fields.some((field) => field.name === name)) name += '_';
  return [...fields, { name, type: calculatedType(node, path) }];
}

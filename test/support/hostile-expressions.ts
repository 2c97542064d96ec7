/** Checks and evaluates any expression over rows of all types: it is refused by an error of the user, or has values, soon. */
import assert from 'node:assert/strict';
import { valueAt } from '../../packages/core/src/columns/attribute-column.ts';
import { GeomillError } from '../../packages/core/src/messages/errors.ts';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import { compile } from '../../packages/expressions/src/compile.ts';
import { evaluationOf, isValueKind } from '../../packages/expressions/src/node.ts';
import { parseExpression } from '../../packages/expressions/src/parse.ts';
import { transformations } from '../../packages/operations/src/registry.ts';
import { parseSteps } from '../../packages/operations/src/requested-steps.ts';
import { batchOf, settingOf } from './expression-batches.ts';

export const geos = await Geos.load();
export const sample = batchOf({
  pop: ['int64', [5n, -9223372036854775808n, null]],
  height: ['float64', [1.5, -1e308, 5e-324]],
  name: ['string', ['Zürich', '', null]],
  open: ['boolean', [true, null, false]],
  date: ['date', ['0000-01-01', '9999-12-31', null]],
  at: ['datetime', ['2020-01-01T12:30:00Z', '2019-12-31T23:00:00+14:00', null]],
  tags: ['json', ['["a",1]', '{"a":[]}', null]],
});
/** Of processor time of this thread, a thousand times what an expression takes. */
const SLOW_MS = 5000;

/** As a request is checked, before the fields are known. */
export function check(source: unknown): void {
  parseSteps([{ type: 'calculate', fields: { x: source } }], 'transformations', transformations);
}

export function evaluate(source: unknown, batch = sample): { values: unknown[]; notes: string[] } {
  const scope = { fields: batch.fields, path: 'x', setting: { ...settingOf(), geos } };
  const node = compile(parseExpression(source, 'x'), scope);
  if (!isValueKind(node.kind)) return { values: [], notes: [] };
  const notes: string[] = [];
  const column = node.column(evaluationOf(batch, 'x', (reason) => notes.push(reason), 0));
  return { values: Array.from({ length: batch.rowCount }, (_, row) => valueAt(column, row)), notes };
}

/** Runs both, which may only throw errors of the user; returns whether the request was refused. */
export function survives(source: unknown): boolean {
  const shown = JSON.stringify(source).slice(0, 200);
  const before = process.threadCpuUsage();
  const [isRefused] = [check, evaluate].map((run) => {
    try {
      run(source);
      return false;
    } catch (error) {
      assert.ok(error instanceof GeomillError && error.fault === 'user', `${shown}: ${error}`);
      return true;
    }
  });
  const { user, system } = process.threadCpuUsage(before);
  const took = (user + system) / 1000;
  assert.ok(took < SLOW_MS, `${shown} took ${Math.round(took)} ms`);
  return isRefused;
}

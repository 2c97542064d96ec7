/** What steps that evaluate expressions share. */
import type { Field } from '../../batch/schema.ts';
import { Geos } from '../../engines/geos/geos.ts';
import { callsAny, type Expression } from '../../expressions/expression.ts';
import { SPATIAL_NAMES } from '../../expressions/functions/spatial.ts';
import type { ExpressionSetting } from '../../expressions/setting.ts';
import type { Findings } from '../../findings.ts';
import type { StepSetting } from '../transformation.ts';

/** Compiles once for each list of fields: the batches of a layer share one. */
export function compiledFor<Compiled>(
  compile: (fields: readonly Field[]) => Compiled,
): (fields: readonly Field[]) => Compiled {
  const known = new WeakMap<readonly Field[], Compiled>();
  return (fields) => {
    let compiled = known.get(fields);
    if (compiled === undefined) {
      compiled = compile(fields);
      known.set(fields, compiled);
    }
    return compiled;
  };
}

/** The setting of expressions of a step; loads GEOS if one of them needs it. */
export async function settingFor(
  setting: StepSetting,
  expressions: readonly Expression[],
): Promise<ExpressionSetting> {
  return {
    ...setting,
    geos: expressions.some((one) => callsAny(one, SPATIAL_NAMES)) ? await Geos.load() : null,
  };
}

/** Reports values that could not be computed. `what`: the new field, or the path of the condition. */
export function noteInto(findings: Findings, what: string): (reason: string, row: number) => void {
  return (reason, row) => findings.note('VALUE_NOT_COMPUTED', { what, reason }, { record: row + 1 });
}

/** What steps that evaluate expressions share. */
import { type AttributeColumn, columnBuffers } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { callsAny, type Expression } from '@geomill/expressions/expression.ts';
import { SPATIAL_NAMES } from '@geomill/expressions/functions/spatial.ts';
import type { ExpressionSetting } from '@geomill/expressions/setting.ts';
import { Geos } from '@geomill/geos/geos.ts';
import { stepFindings } from '../findings.ts';
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

/** The setting of expressions of a step; loads what they need: GEOS only if one of them does. */
export async function settingFor(
  setting: StepSetting,
  expressions: readonly Expression[],
): Promise<ExpressionSetting> {
  const { aroundTheEarth: around } = await import('@geomill/expressions/around-the-earth.ts');
  return {
    ...setting,
    around,
    geos: expressions.some((one) => callsAny(one, SPATIAL_NAMES)) ? await Geos.load() : null,
  };
}

/** Reports values that could not be computed. `what`: the new field, or the path of the condition. */
export function noteInto(findings: Findings, what: string): (reason: string, row: number) => void {
  return (reason, row) =>
    findings.note(stepFindings.VALUE_NOT_COMPUTED, { what, reason }, { record: row + 1 });
}

/** A buffer can be transferred to another thread once, so no two columns of a batch may share one. */
export function withOwnBuffers(column: AttributeColumn, batch: FeatureBatch): AttributeColumn {
  const taken = new Set<ArrayBuffer>();
  for (const other of batch.columns) for (const buffer of columnBuffers(other)) taken.add(buffer);
  if (batch.ids !== null) for (const buffer of columnBuffers(batch.ids)) taken.add(buffer);
  if (!columnBuffers(column).some((buffer) => taken.has(buffer))) return column;
  const validity = column.validity?.slice() ?? null;
  return 'offsets' in column
    ? { ...column, bytes: column.bytes.slice(), offsets: column.offsets.slice(), validity }
    : ({ ...column, values: column.values.slice(), validity } as AttributeColumn);
}

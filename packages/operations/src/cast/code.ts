/** Converts columns value by value, as appending to a layer of other types does. */
import { convertColumn } from '@geomill/core/columns/convert-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { indexOfField } from '@geomill/core/columns/known-field.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { stepFindings } from '../findings.ts';
import { convertedField } from '../parts/new-fields.ts';
import type { StepParameters, StreamingTransformation } from '../transformation.ts';
import { CAST_TYPES } from './record.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  outputFields: (fields, parameters) => castFields(fields, parameters),
  prepare: async (parameters) => (batch, findings) => castValues(batch, parameters, findings),
};

/** Throws FIELD_UNKNOWN. */
function castFields(fields: readonly Field[], { fields: types }: StepParameters): readonly Field[] {
  const cast = [...fields];
  for (const [name, type] of Object.entries(types as Readonly<Record<string, keyof typeof CAST_TYPES>>)) {
    const index = indexOfField(fields, name);
    const to = { name, type: CAST_TYPES[type] };
    cast[index] = fields[index].type === to.type ? fields[index] : convertedField(fields[index], to);
  }
  return cast;
}

function castValues(batch: FeatureBatch, parameters: StepParameters, findings: Findings): FeatureBatch {
  const fields = castFields(batch.fields, parameters);
  const columns = batch.columns.map((column, i) => {
    const { name, type } = fields[i];
    const converted = convertColumn(column, type, batch.rowCount);
    const { failures, firstFailedRows } = converted;
    if (failures === 0) return converted.column;
    for (const row of firstFailedRows)
      findings.note(stepFindings.VALUE_NOT_CAST, { field: name, type }, { record: row + 1, field: name });
    const others = failures - firstFailedRows.length;
    if (others > 0) findings.note(stepFindings.VALUE_NOT_CAST, { field: name, type }, undefined, others);
    return converted.column;
  });
  return { ...batch, fields, columns };
}

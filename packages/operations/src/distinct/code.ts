import { indexOfField } from '@geomill/core/columns/known-field.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { stepFindings } from '../findings.ts';
import { KeptBatches } from '../parts/kept-batches.ts';
import { takeFeatures } from '../parts/take-geometry.ts';
import type { SerialTransformation, StepParameters } from '../transformation.ts';
import { DigestSet } from './digest-set.ts';
import { RowDigest } from './row-digest.ts';

export const code: SerialTransformation = {
  kind: 'serial',
  usesFields: ({ by }) => by === undefined || (by as readonly string[]).length > 0,
  outputFields(fields, parameters) {
    columnsOf(fields, parameters);
    return fields;
  },
  async begin(parameters, _setting, store) {
    const comparesGeometry =
      parameters.geometry === true || (parameters.geometry !== false && parameters.by === undefined);
    const kept = new KeptBatches(store);
    const digest = new RowDigest();
    const seen = new DigestSet();
    return {
      add(batch, findings) {
        const columns = columnsOf(batch.fields, parameters).map((i) => batch.columns[i]);
        const rows = new Uint32Array(batch.rowCount);
        let count = 0;
        for (let row = 0; row < batch.rowCount; row++) {
          if (seen.add(digest.of(columns, comparesGeometry ? batch.geometry : null, row)))
            rows[count++] = row;
          else findings.note(stepFindings.DUPLICATES_DROPPED, {}, { record: row + 1 });
        }
        kept.add(count === batch.rowCount ? batch : takeFeatures(batch, rows.slice(0, count)));
      },
      finish: () => kept.all(),
    };
  },
};

/** Throws FIELD_UNKNOWN. */
function columnsOf(fields: readonly Field[], { by }: StepParameters): readonly number[] {
  if (by === undefined) return fields.map((_, i) => i);
  return (by as readonly string[]).map((name) => indexOfField(fields, name));
}

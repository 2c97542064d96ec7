import { ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import { GEOMETRY_TYPE, type GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import { unwrapped } from '@geomill/core/sphere/unwrap.ts';
import { Geos } from '@geomill/geos/geos.ts';
import { stepFindings } from '../findings.ts';
import { withNewField } from '../parts/new-fields.ts';
import { withoutRepeatedEdges } from '../parts/repeated-edges.ts';
import type { StepParameters, StreamingTransformation } from '../transformation.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  outputFields,
  usesFields: () => false,
  async prepare(parameters, { crs }) {
    const geos = await Geos.load();
    return (batch, findings) => {
      const fields = outputFields(batch.fields, parameters);
      const valid = new ColumnBuilder('boolean', batch.rowCount);
      const reasons = new ColumnBuilder('string', batch.rowCount);
      const plane = isInDegrees(crs) ? unwrapped(batch.geometry, 'edges').geometry : batch.geometry;
      for (let row = 0; row < batch.rowCount; row++) {
        const fault = faultOf(geos, plane, row);
        if (batch.geometry.types[row] === GEOMETRY_TYPE.none) valid.appendNull();
        else valid.appendNumber(fault === null ? 1 : 0);
        if (fault === null) {
          reasons.appendNull();
          continue;
        }
        const [, reason, place] = /^([^[]*?)\s*(?:\[(.*)\])?$/.exec(fault) ?? ['', fault];
        reasons.appendText(place === undefined ? reason : `${reason} at ${place}`);
        findings.note(stepFindings.GEOMETRY_INVALID, { reason }, { record: row + 1 });
      }
      const columns = [...batch.columns];
      if (parameters.valid_field !== undefined) columns.push(valid.finish());
      if (parameters.reason_field !== undefined) columns.push(reasons.finish());
      return { ...batch, fields, columns };
    };
  },
};

function outputFields(
  fields: readonly Field[],
  { valid_field: valid, reason_field: reason }: StepParameters,
): readonly Field[] {
  const first =
    valid === undefined
      ? fields
      : withNewField(fields, { name: valid as string, type: 'boolean' }, 'valid_field');
  return reason === undefined
    ? first
    : withNewField(first, { name: reason as string, type: 'string' }, 'reason_field');
}

/** "Self-intersection[1 1]"; null: the geometry is valid. */
function faultOf(geos: Geos, column: GeometryColumn, row: number): string | null {
  // A polygon with a repeated edge is invalid, and GEOS takes long to find that.
  if (withoutRepeatedEdges(column, row) !== null) return 'Repeated edge';
  using geometry = geos.read(column, row);
  return geometry.isValid ? null : geometry.validityReason;
}

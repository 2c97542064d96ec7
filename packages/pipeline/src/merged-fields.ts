/** Fields of a merge that keeps attributes, and how the fields of each source are mapped to them. */
import { mapFields, mergedFields } from '@geomill/core/columns/field-mapping.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { stepErrors } from '@geomill/operations/errors.ts';
import { ID_FIELD } from './feature-ids.ts';
import {
  foundFields,
  type MappingSource,
  noteFields,
  type PlannedMapping,
  textFields,
  withIds,
} from './field-mappings.ts';
import { pipelineFindings } from './findings.ts';
import type { MergeRequest } from './request.ts';

/** Throws FIELD_NAME_TAKEN if the field for the source is that of a file. */
export function planMergedFields(
  sources: readonly MappingSource[],
  layer: string,
  { attributes, sourceField }: MergeRequest,
  findings: Findings,
): { readonly fields: readonly Field[]; readonly sources: readonly PlannedMapping[] } {
  const found = sources.map((source) => (attributes === 'none' ? [] : foundFields(source)));
  const haveIds = sources.map(({ reader }) => reader.ids === 'data');
  const idField =
    attributes === 'union' && haveIds.includes(true) && !hasField(found.flat(), ID_FIELD) ? ID_FIELD : null;
  const supplied = found.map((own, i) => withIds(own, sources[i], haveIds[i] ? idField : null));
  const mixed = sources.every(({ reader }) => reader.mixedType === 'json') ? 'json' : 'string';
  const fields = mergedFields(supplied, mixed, attributes === 'intersection');
  const mappings = found.map((own) => mapFields(fields, own));
  if (sourceField !== undefined && hasField(fields, sourceField))
    throw failure(stepErrors.FIELD_NAME_TAKEN, {
      first: sourceField,
      second: 'source_field',
      name: sourceField,
    });
  if (attributes !== 'none')
    noteFields(mappings, sources, layer, findings, pipelineFindings.FIELD_NOT_COMMON);
  const all =
    sourceField === undefined ? fields : [...fields, { name: sourceField, type: 'string' } as const];
  return {
    fields: all,
    sources: sources.map(({ reportedAs, sourceName, reader }, i) => ({
      fieldMapping: {
        mapping: mappings[i],
        keepIds: false,
        idField: haveIds[i] && hasField(fields, ID_FIELD) ? idField : null,
        idsAreData: attributes !== 'none' && haveIds[i],
        ...(sourceField === undefined ? {} : { constant: { name: sourceField, value: sourceName } }),
        reportedAs: attributes === 'none' ? null : reportedAs,
      },
      readFields: reader.typing === 'layer' ? textFields(mappings[i], found[i]) : null,
    })),
  };
}

function hasField(fields: readonly Pick<Field, 'name'>[], name: string): boolean {
  return fields.some((field) => field.name.toLowerCase() === name.toLowerCase());
}

/** Maps the fields of appended files to those of the target: each batch right after it was read, before any step. */
import { ColumnBuilder, isValid } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import {
  type FieldMapping,
  type FoundField,
  mapBatch,
  mapFields,
  widenedTarget,
} from '@geomill/core/columns/field-mapping.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { Findings, type FoundFinding } from '@geomill/core/messages/findings.ts';
import type { FormatReader, SourceLayer } from '@geomill/formats/reader.ts';
import { ID_FIELD } from './feature-ids.ts';
import { pipelineFindings } from './findings.ts';
import { hasOpenFields } from './opened-input.ts';
import type { SourceMapping } from './task.ts';

/** No attributes and no ids. */
export const GEOMETRY_ONLY: SourceMapping = {
  mapping: { fields: [], sources: [], dropped: [], renamed: [] },
  keepIds: false,
  idField: null,
  idsAreData: false,
  reportedAs: null,
};

/** The batch with the fields of the layer; locations in findings count its rows from 1. */
export function applyFieldMapping(
  batch: FeatureBatch,
  { mapping, keepIds, idField, idsAreData, constant, reportedAs }: SourceMapping,
): { readonly batch: FeatureBatch; readonly findings: readonly FoundFinding[] } {
  const mapped = mapBatch(batch, mapping, { keepIds, idField });
  const complete = constant === undefined ? mapped.batch : withConstant(mapped.batch, constant);
  if (reportedAs === null) return { batch: complete, findings: [] };
  const findings = new Findings();
  for (const { fieldIndex, count, firstRows } of mapped.failures) {
    const { name: field, type } = mapping.fields[fieldIndex];
    const params = { field, source: reportedAs, type };
    firstRows.forEach((row, i) => {
      // The last location counts for all that follow.
      const covered = i === firstRows.length - 1 ? count - i : 1;
      findings.note(pipelineFindings.VALUE_NOT_APPENDED, params, { record: row + 1, field }, covered);
    });
  }
  const idCount = keepIds || !idsAreData ? 0 : idField === null ? countIds(batch) : mapped.lostIds;
  if (idCount > 0)
    findings.note(pipelineFindings.IDS_NOT_APPENDED, { source: reportedAs }, undefined, idCount);
  return { batch: complete, findings: findings.found() };
}

function withConstant(
  batch: FeatureBatch,
  { name, value }: NonNullable<SourceMapping['constant']>,
): FeatureBatch {
  const bytes = new TextEncoder().encode(value);
  const builder = new ColumnBuilder('string', batch.rowCount, bytes.length * batch.rowCount);
  for (let row = 0; row < batch.rowCount; row++) builder.appendBytes(bytes, 0, bytes.length);
  return {
    ...batch,
    fields: [...batch.fields, { name, type: 'string' }],
    columns: [...batch.columns, builder.finish()],
  };
}

function countIds({ ids, rowCount }: FeatureBatch): number {
  if (ids === null || ids.validity === null) return ids === null ? 0 : rowCount;
  let count = 0;
  for (let row = 0; row < rowCount; row++) if (isValid(ids.validity, row)) count++;
  return count;
}

/** A source of an appended layer; the first source is the target. */
export interface MappingSource {
  readonly layer: SourceLayer;
  readonly reader: Pick<FormatReader, 'typing' | 'mixedType' | 'ids'>;
  /** The inferred schema; unused where the file declares its fields. */
  readonly found: readonly FoundField[];
  /** Type of the ids of its features; null: not known, or none. */
  readonly foundIds: FoundField | null;
  /** "'roads.shp'", or "layer 'roads' of 'all.gpkg'". */
  readonly reportedAs: string;
  /** "roads.shp", or "all.gpkg:roads": a value of the field that names the source. */
  readonly sourceName: string;
}

export interface PlannedMapping {
  readonly fieldMapping: SourceMapping;
  /** Types to read plain text as, so that the mapping to the target's fields loses nothing; null: the inferred ones. */
  readonly readFields: readonly Field[] | null;
}

/** The fields of the target and the mapping of each source to them; notes the fields that are dropped. */
export function planFieldMappings(
  sources: readonly MappingSource[],
  layerName: string,
  findings: Findings,
): { readonly fields: readonly Field[]; readonly sources: readonly PlannedMapping[] } {
  const found = sources.map((source) => foundFields(source));
  const idFields = found.map((own, i) =>
    i === 0 || sources[i].reader.ids !== 'data' ? null : idFieldOf(found[0], own),
  );
  const supplied = found.map((own, i) => withIds(own, sources[i], idFields[i]));
  const all = targetFields(sources[0], supplied);
  const complete = found.map((own) => mapFields(all, own));
  const mappings = sources[0].layer.isTarget ? onlySupplied(complete, idFields) : complete;
  const [{ fields }] = mappings;
  noteFields(mappings, sources, layerName, findings);
  return {
    fields,
    sources: sources.map(({ reportedAs, reader }, i) => ({
      fieldMapping: {
        mapping: mappings[i],
        keepIds: i === 0,
        idField: idFields[i],
        idsAreData: reader.ids === 'data',
        reportedAs,
      },
      readFields: reader.typing === 'layer' ? textFields(mappings[i], found[i]) : null,
    })),
  };
}

/** The field of the target for the ids of a source that has no such field: "id", in any letter case. */
function idFieldOf(target: readonly FoundField[], own: readonly FoundField[]): string | null {
  const isIdField = ({ name }: FoundField): boolean => name.toLowerCase() === ID_FIELD;
  const candidates = target.filter(isIdField).map(({ name }) => name);
  if (own.some(isIdField)) return null;
  if (candidates.includes(ID_FIELD)) return ID_FIELD;
  return candidates.length === 1 ? candidates[0] : null;
}

/** The fields of a source with its ids as those of `idField`. */
export function withIds(
  own: readonly FoundField[],
  { foundIds }: MappingSource,
  idField: string | null,
): readonly FoundField[] {
  return foundIds === null || idField === null ? own : [...own, { ...foundIds, name: idField }];
}

/** Without the fields that no source but the target has: an existing table gives them their defaults. */
function onlySupplied(
  mappings: readonly FieldMapping[],
  idFields: readonly (string | null)[],
): readonly FieldMapping[] {
  const [{ fields }, ...appended] = mappings;
  const isSupplied = (_: unknown, i: number): boolean =>
    idFields.includes(fields[i].name) || appended.some(({ sources }) => sources[i] !== null);
  return mappings.map((mapping) => ({
    ...mapping,
    fields: mapping.fields.filter(isSupplied),
    sources: mapping.sources.filter(isSupplied),
  }));
}

export function foundFields({ layer, found, reader }: MappingSource): readonly FoundField[] {
  if (layer.fields === null || hasOpenFields(layer, reader)) return found;
  return layer.fields.map(({ name, type }) => ({ name, type, integersExact: type !== 'int64' }));
}

function targetFields(
  { layer, reader }: MappingSource,
  [target, ...appended]: readonly (readonly FoundField[])[],
): readonly Field[] {
  if (layer.fields !== null && !hasOpenFields(layer, reader)) return layer.fields;
  return widenedTarget(target, appended, reader.mixedType);
}

/** The mapped fields with their inferred types; string where the target is a string, because "1.50" is not 1.5. */
export function textFields({ fields, sources }: FieldMapping, found: readonly FoundField[]): Field[] {
  const types = new Map(found.map(({ name, type }) => [name, type]));
  return fields.flatMap(({ type: wanted }, i): Field[] => {
    const name = sources[i];
    if (name === null) return [];
    const own = types.get(name) ?? 'null';
    return [{ name, type: own === 'null' || wanted === 'string' ? 'string' : own }];
  });
}

/** Notes a field of several files once. `droppedAs`: the finding for fields that are not in the layer. */
export function noteFields(
  mappings: readonly FieldMapping[],
  sources: readonly Pick<MappingSource, 'reportedAs'>[],
  layer: string,
  findings: Findings,
  droppedAs:
    | typeof pipelineFindings.FIELD_NOT_APPENDED
    | typeof pipelineFindings.FIELD_NOT_COMMON = pipelineFindings.FIELD_NOT_APPENDED,
): void {
  const dropped = new Map<string, string[]>();
  const matched = new Map<string, { from: string; to: string; files: string[] }>();
  mappings.forEach((mapping, i) => {
    const { reportedAs } = sources[i];
    for (const field of mapping.dropped) {
      const files = dropped.get(field);
      if (files === undefined) dropped.set(field, [reportedAs]);
      else files.push(reportedAs);
    }
    for (const { from, to } of mapping.renamed) {
      const key = JSON.stringify([from, to]);
      const known = matched.get(key);
      if (known === undefined) matched.set(key, { from, to, files: [reportedAs] });
      else known.files.push(reportedAs);
    }
  });
  for (const [field, files] of dropped)
    findings.note(droppedAs, { layer, field, files: listOf(files) }, undefined, files.length);
  for (const { from, to, files } of matched.values())
    findings.note(
      pipelineFindings.FIELD_MATCHED,
      { layer, from, to, files: listOf(files) },
      undefined,
      files.length,
    );
}

const LISTED_FILES = 3;

function listOf(files: readonly string[]): string {
  if (files.length <= LISTED_FILES) return files.join(', ');
  return `${files.slice(0, LISTED_FILES).join(', ')} and ${files.length - LISTED_FILES} more files`;
}

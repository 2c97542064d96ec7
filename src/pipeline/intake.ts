/**
 * How features of several files come to have the same fields: each batch is brought into the fields of the layer right
 * after it was read, before any step.
 */
import { isValid } from '../batch/attribute-column.ts';
import type { FeatureBatch } from '../batch/feature-batch.ts';
import {
  type FieldMapping,
  type FoundField,
  mapBatch,
  mapFields,
  widenedTarget,
} from '../batch/field-mapping.ts';
import type { Field, MixedType } from '../batch/schema.ts';
import { type Finding, Findings } from '../findings.ts';
import type { FormatReader, SourceLayer } from '../formats/format.ts';
import { hasOpenFields } from './plan.ts';

/** Plain data: it goes to workers with every task. */
export interface Intake {
  readonly mapping: FieldMapping;
  readonly keepIds: boolean;
  /** What the features are called in findings: "'roads.shp'"; null: what is left out was told for all at once. */
  readonly toldAs: string | null;
}

/** No attributes and no ids. */
export const GEOMETRY_ALONE: Intake = {
  mapping: { fields: [], sources: [], dropped: [], renamed: [] },
  keepIds: false,
  toldAs: null,
};

/** The batch as the layer takes it in; places in findings count its rows from 1. */
export function takeIn(
  batch: FeatureBatch,
  { mapping, keepIds, toldAs }: Intake,
): { readonly batch: FeatureBatch; readonly findings: readonly Finding[] } {
  const mapped = mapBatch(batch, mapping, { keepIds });
  if (toldAs === null) return { batch: mapped.batch, findings: [] };
  const findings = new Findings();
  for (const { fieldIndex, count, firstRows } of mapped.failures) {
    const { name: field, type } = mapping.fields[fieldIndex];
    const params = { field, source: toldAs, type };
    firstRows.forEach((row, i) => {
      // The last location counts for all that follow.
      const told = i === firstRows.length - 1 ? count - i : 1;
      findings.note('VALUE_NOT_APPENDED', params, { record: row + 1, field }, told);
    });
  }
  const idCount = keepIds ? 0 : countIds(batch);
  if (idCount > 0) findings.note('IDS_NOT_APPENDED', { source: toldAs }, undefined, idCount);
  return { batch: mapped.batch, findings: findings.list() };
}

function countIds({ ids, rowCount }: FeatureBatch): number {
  if (ids === null || ids.validity === null) return ids === null ? 0 : rowCount;
  let count = 0;
  for (let row = 0; row < rowCount; row++) if (isValid(ids.validity, row)) count++;
  return count;
}

/** A source of a layer to which others are appended, or which is appended; the first is the target. */
export interface IntakeSource {
  readonly layer: SourceLayer;
  /** The inferred schema; unused where the file declares its fields. */
  readonly found: readonly FoundField[];
  /** "'roads.shp'", or "layer 'roads' of 'all.gpkg'". */
  readonly toldAs: string;
}

export interface PlannedIntake {
  readonly intake: Intake;
  /** What plain text has to be read as, so that nothing is lost on its way into the target's fields; null: as it is found. */
  readonly readFields: readonly Field[] | null;
}

/** The fields of the target and the way of each source into them; notes what is dropped. */
export function planIntakes(
  sources: readonly IntakeSource[],
  reader: Pick<FormatReader, 'typing' | 'mixedType'>,
  layerName: string,
  findings: Findings,
): { readonly fields: readonly Field[]; readonly sources: readonly PlannedIntake[] } {
  const found = sources.map((source) => foundFields(source, reader));
  const fields = targetFields(sources[0], found, reader.mixedType, reader);
  const mappings = found.map((own) => mapFields(fields, own));
  noteFields(mappings, sources, layerName, findings);
  return {
    fields,
    sources: sources.map(({ toldAs }, i) => ({
      intake: { mapping: mappings[i], keepIds: i === 0, toldAs },
      readFields: reader.typing === 'layer' ? textFields(mappings[i], found[i]) : null,
    })),
  };
}

function foundFields(
  { layer, found }: IntakeSource,
  reader: Pick<FormatReader, 'typing'>,
): readonly FoundField[] {
  if (layer.fields === null || hasOpenFields(layer, reader)) return found;
  return layer.fields.map(({ name, type }) => ({ name, type, integersExact: type !== 'int64' }));
}

function targetFields(
  { layer }: IntakeSource,
  [target, ...appended]: readonly (readonly FoundField[])[],
  mixed: MixedType,
  reader: Pick<FormatReader, 'typing'>,
): readonly Field[] {
  if (layer.fields !== null && !hasOpenFields(layer, reader)) return layer.fields;
  return widenedTarget(target, appended, mixed);
}

/** The fields that are taken, as their own texts amount to; text where text is wanted: "1.50" is not 1.5. */
function textFields({ fields, sources }: FieldMapping, found: readonly FoundField[]): Field[] {
  const types = new Map(found.map(({ name, type }) => [name, type]));
  return fields.flatMap(({ type: wanted }, i): Field[] => {
    const name = sources[i];
    if (name === null) return [];
    const own = types.get(name) ?? 'null';
    return [{ name, type: own === 'null' || wanted === 'string' ? 'string' : own }];
  });
}

/** A field that many files have is told once. */
function noteFields(
  mappings: readonly FieldMapping[],
  sources: readonly IntakeSource[],
  layer: string,
  findings: Findings,
): void {
  const dropped = new Map<string, string[]>();
  const matched = new Map<string, { from: string; to: string; files: string[] }>();
  mappings.forEach((mapping, i) => {
    const { toldAs } = sources[i];
    for (const field of mapping.dropped) {
      const files = dropped.get(field);
      if (files === undefined) dropped.set(field, [toldAs]);
      else files.push(toldAs);
    }
    for (const { from, to } of mapping.renamed) {
      const key = JSON.stringify([from, to]);
      const known = matched.get(key);
      if (known === undefined) matched.set(key, { from, to, files: [toldAs] });
      else known.files.push(toldAs);
    }
  });
  for (const [field, files] of dropped)
    findings.note('FIELD_NOT_APPENDED', { layer, field, files: listOf(files) }, undefined, files.length);
  for (const { from, to, files } of matched.values())
    findings.note('FIELD_MATCHED', { layer, from, to, files: listOf(files) }, undefined, files.length);
}

const LISTED_FILES = 3;

function listOf(files: readonly string[]): string {
  if (files.length <= LISTED_FILES) return files.join(', ');
  return `${files.slice(0, LISTED_FILES).join(', ')} and ${files.length - LISTED_FILES} more files`;
}

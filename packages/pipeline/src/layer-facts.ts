/** Facts of the layers of the output: those of their sources, as the steps leave them and as the output can state them. */
import {
  descriptionsIn,
  FACT_KINDS,
  FACT_NAMES,
  type FactKind,
  type FactsByField,
  type FieldFacts,
  type LayerFacts,
  onlyFacts,
  sameFact,
  sameMeanings,
} from '@geomill/core/columns/field-facts.ts';
import type { FieldMapping } from '@geomill/core/columns/field-mapping.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '@geomill/formats/findings.ts';
import type { Format } from '@geomill/formats/format.ts';
import type { SourceLayer } from '@geomill/formats/reader.ts';
import type { OutputLayer } from '@geomill/formats/writer.ts';
import { fieldsAfter } from './chain.ts';
import type { LoadedStep } from './conversion-plan.ts';
import { writesDomainTexts } from './domain-texts.ts';
import { pipelineFindings } from './findings.ts';

const SHOWN_FIELDS = 12;
/** What is lost with them is a rule, no information. */
const CONSTRAINTS: readonly FactKind[] = ['width', 'notNull', 'unique', 'default'];

/** A layer of a file whose features a layer of the output gets. */
interface FactSource {
  readonly layer: SourceLayer;
  readonly reportedAs: string;
  /** Null: its fields are those of the layer. */
  readonly fieldMapping: { readonly mapping: FieldMapping } | null;
}

/** A layer before and after the steps. */
export interface FactRun {
  readonly plan: { readonly name: string; readonly target: SourceLayer | null };
  readonly sources: readonly FactSource[];
  /** Fields before the first step; null: not known. */
  readonly inputFields: readonly Field[] | null;
}

/** The layer of the output with its facts. Notes those that it does not have. `runs`: whose features it gets. */
export function withFacts(
  layer: OutputLayer,
  runs: readonly FactRun[],
  steps: readonly LoadedStep[],
  format: Format,
  findings: Findings,
): OutputLayer {
  const sources = runs.flatMap((run) => run.sources);
  if (sources.every(({ layer: { facts } }) => facts === undefined)) return layer;
  const fields = new Map<string, FieldFacts>();
  const isStored = sources.every(({ layer: { facts } }) => facts?.hasStoredWidths === true);
  const keepsStored = isStored && layer.target == null && format.heldFacts?.includes('width') === true;
  for (const run of keepsStored ? runs : runs.map(withoutStoredWidths)) {
    const before = combinedFacts(run.sources, run.plan.target !== null, layer.name, findings);
    const after = factsAfter(before, run, steps);
    const requested = steps.filter((step) => !writesDomainTexts(step));
    noteChanged(layer.name, before, factsAfter(before, run, requested), isStored, findings);
    for (const [name, facts] of after) if (!fields.has(name)) fields.set(name, facts);
  }
  // What the target of an append has stays as it is.
  if (layer.target != null) return layer;
  const facts = {
    ...textsOf(layer, sources, format, findings),
    fields: heldFacts(layer, fields, mayBreak(sources, steps), format, findings),
    ...(keepsStored ? { hasStoredWidths: true as const } : {}),
  };
  return { ...layer, facts };
}

/** Widths that a format must state are no bounds for the features of other formats. */
function withoutStoredWidths(run: FactRun): FactRun {
  const { plan, inputFields } = run;
  const sources = run.sources.map((source): FactSource => {
    const { layer, reportedAs, fieldMapping } = source;
    const { facts } = layer;
    if (facts?.hasStoredWidths !== true) return source;
    const fields = [...facts.fields].map(([name, { width, ...others }]) => [name, others] as const);
    return { layer: { ...layer, facts: { ...facts, fields: new Map(fields) } }, reportedAs, fieldMapping };
  });
  return { plan, inputFields, sources };
}

/** The format as if it stated all facts. */
export function holdingAll({ heldDomains: _, heldDefaults: __, ...format }: Format): Format {
  return { ...format, heldFacts: FACT_KINDS, checksConstraints: true, holdsLayerFacts: true };
}

/** The layer with those whose features it gets. */
export function withOrigins(layer: OutputLayer, runs: readonly FactRun[]): OutputLayer {
  const origins = runs.flatMap(({ sources }) => sources.flatMap(({ layer: { origin } }) => origin ?? []));
  return { ...layer, origins };
}

/** Of all sources by the names of the fields that theirs are mapped to; those of the first one decide. */
function combinedFacts(
  sources: readonly FactSource[],
  isExtended: boolean,
  layer: string,
  findings: Findings,
): FactsByField {
  const combined = new Map<string, FieldFacts>();
  const seen = new Set<string>();
  for (const [i, source] of sources.entries()) {
    const own = mappedFacts(source);
    for (const [field, facts] of own) {
      const known = combined.get(field);
      if (known === undefined && !seen.has(field) && !(isExtended && i > 0)) {
        combined.set(field, facts);
        continue;
      }
      const { merged, lost } = mergedFacts(known ?? {}, facts, isExtended);
      if (!isExtended) combined.set(field, merged);
      for (const kind of lost)
        findings.note(
          pipelineFindings.FIELD_FACTS_DIFFER,
          { what: FACT_NAMES[kind], field, source: source.reportedAs, layer },
          { layer, field },
        );
    }
    for (const field of fieldsOfSource(source)) seen.add(field);
  }
  return combined;
}

function mappedFacts({ layer, fieldMapping }: FactSource): FactsByField {
  const own = layer.facts?.fields ?? new Map<string, FieldFacts>();
  if (fieldMapping === null) return own;
  const { fields, sources } = fieldMapping.mapping;
  return new Map(
    fields.flatMap(({ name }, i): [string, FieldFacts][] => {
      const facts = own.get(sources[i] ?? '');
      return facts === undefined ? [] : [[name, facts]];
    }),
  );
}

function fieldsOfSource({ layer, fieldMapping }: FactSource): readonly string[] {
  if (fieldMapping === null) return (layer.fields ?? []).map(({ name }) => name);
  const { fields, sources } = fieldMapping.mapping;
  return fields.flatMap(({ name }, i) => (sources[i] === null ? [] : [name]));
}

/** The facts of a field of two sources, and the kinds of the second that are not in the result. */
function mergedFacts(
  first: FieldFacts,
  second: FieldFacts,
  isExtended: boolean,
): { readonly merged: FieldFacts; readonly lost: readonly FactKind[] } {
  const domain =
    isExtended || first.domain === undefined || second.domain === undefined
      ? null
      : sameMeanings(first.domain, second.domain);
  const { width } = first;
  const hasWidths = width !== undefined && second.width !== undefined && !isExtended;
  const merged: FieldFacts = {
    ...(isExtended ? {} : descriptionsIn(second)),
    ...first,
    ...(domain === null ? {} : { domain }),
    ...(hasWidths ? { width: Math.max(width, second.width ?? 0) } : {}),
  };
  const isLost = (kind: FactKind): boolean => {
    if (!(kind in second)) return false;
    if (kind === 'domain' && domain !== null) return false;
    if (kind === 'width' && hasWidths) return false;
    return !sameFact(merged, second, kind);
  };
  return { merged, lost: FACT_KINDS.filter(isLost) };
}

/** The facts after the steps, by the names of the fields then. */
function factsAfter(before: FactsByField, run: FactRun, steps: readonly LoadedStep[]): FactsByField {
  if (before.size === 0) return before;
  const known = run.inputFields ?? [...before.keys()].map((name) => ({ name, type: 'string' as const }));
  const fields = known.map((field) => {
    const facts = before.get(field.name);
    return facts === undefined ? field : { ...field, facts };
  });
  try {
    const after = fieldsAfter(fields, steps, run.plan.name);
    return new Map(after.flatMap(({ name, facts }) => (facts === undefined ? [] : [[name, facts] as const])));
  } catch (error) {
    // Not all fields are known that the steps name.
    if (error instanceof GeomillError && run.inputFields === null) return new Map();
    throw error;
  }
}

/** Fields that keep their name but not what held of their values. */
function noteChanged(
  layer: string,
  before: FactsByField,
  after: FactsByField,
  isStored: boolean,
  findings: Findings,
): void {
  const changed = (kind: FactKind): string[] =>
    [...before].flatMap(([name, facts]) => {
      const now = after.get(name);
      return now !== undefined && kind in facts && !(kind in now) ? [name] : [];
    });
  for (const kind of FACT_KINDS)
    if (kind !== 'width' || !isStored)
      noteFacts(layer, kind, changed(kind), 'a step changes the values', findings);
}

/** The facts that the output states, of the fields that it has. */
function heldFacts(
  layer: OutputLayer,
  facts: FactsByField,
  breaks: boolean,
  format: Format,
  findings: Findings,
): FactsByField {
  const names = layer.fields?.map(({ name }) => name) ?? [...facts.keys()];
  const own = names.flatMap((name): [string, FieldFacts][] => {
    const found = facts.get(name);
    return found === undefined ? [] : [[name, found]];
  });
  const isLeftOut = breaks && format.checksConstraints !== true;
  const isHeld = (kind: FactKind, found: FieldFacts): boolean =>
    isStated(kind, found, format) && !(isLeftOut && (kind === 'notNull' || kind === 'unique'));
  if (format.outputFields !== 'none')
    for (const kind of FACT_KINDS) {
      const lost = own.filter(([, found]) => kind in found && !isHeld(kind, found));
      const isKnown = format.heldFacts?.includes(kind) && (kind === 'notNull' || kind === 'unique');
      const reason = isKnown ? 'a step or a merge may break it' : `${format.name} has no place for it`;
      noteFacts(
        layer.name,
        kind,
        lost.map(([name]) => name),
        reason,
        findings,
      );
    }
  return new Map(
    own.map(([name, found]) => [
      name,
      onlyFacts(
        found,
        FACT_KINDS.filter((kind) => isHeld(kind, found)),
      ),
    ]),
  );
}

function isStated(
  kind: FactKind,
  facts: FieldFacts,
  { heldFacts: held = [], heldDomains, heldDefaults }: Format,
): boolean {
  if (!held.includes(kind)) return false;
  if (kind === 'domain' && facts.domain !== undefined)
    return heldDomains?.includes(facts.domain.kind) ?? true;
  if (kind === 'default' && facts.default !== undefined)
    return heldDefaults?.includes(facts.default.kind) ?? true;
  return true;
}

/** Whether features may have no value, or the same as another one, where those of the source could not. */
function mayBreak(sources: readonly FactSource[], steps: readonly LoadedStep[]): boolean {
  const keeps = ({ code }: LoadedStep): boolean =>
    code.kind === 'reprojecting' ||
    (code.kind === 'streaming' && (code.selects ?? code.keepsValues) === true);
  return sources.length > 1 || !steps.every(keeps);
}

function noteFacts(
  layer: string,
  kind: FactKind,
  fields: readonly string[],
  reason: string,
  findings: Findings,
): void {
  if (fields.length === 0) return;
  const listed = fields.slice(0, SHOWN_FIELDS).map((field) => `'${field.slice(0, 60)}'`);
  const more = fields.length > listed.length ? ` and ${fields.length - listed.length} more` : '';
  const entry = CONSTRAINTS.includes(kind)
    ? formatFindings.FIELD_CONSTRAINTS_DROPPED
    : formatFindings.FIELD_DESCRIPTIONS_DROPPED;
  const params = { layer, what: FACT_NAMES[kind], fields: listed.join(', ') + more, reason };
  for (const field of fields) findings.note(entry, params, { layer, field });
}

/** The title and the description of the layer: those of its first source. */
function textsOf(
  { name: layer }: OutputLayer,
  sources: readonly FactSource[],
  { holdsLayerFacts, name: format }: Format,
  findings: Findings,
): Omit<LayerFacts, 'fields'> {
  const [first, ...others] = sources.map((source) => source.layer.facts);
  const note = (what: string, reason: string): void =>
    findings.note(formatFindings.LAYER_DESCRIPTION_DROPPED, { layer, what, reason }, { layer });
  const facts: Omit<LayerFacts, 'fields'> = {
    ...(first?.title === undefined ? {} : { title: first.title }),
    ...(first?.description === undefined ? {} : { description: first.description }),
  };
  for (const [kind, what] of [['title', 'the title'] as const, ['description', 'the description'] as const]) {
    const shown = kind === 'title' ? `${what} '${facts.title?.slice(0, 60)}'` : what;
    if (holdsLayerFacts !== true && facts[kind] !== undefined) note(shown, `${format} has no place for it`);
    if (others.some((other) => other?.[kind] !== undefined && other[kind] !== facts[kind]))
      note(what, 'that of the first file is kept');
  }
  return holdsLayerFacts === true ? facts : {};
}

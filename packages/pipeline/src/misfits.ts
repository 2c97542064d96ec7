/**
 * Values that contradict the declared type of their field. A conversion first trusts declarations, which costs nothing for
 * files with correct ones. At the first value that does not fit it stops, finds all fields with such values,
 * and restarts without the declarations of these fields, so that no value is lost.
 * Alternative rejected: looking at all values before every conversion, which takes a pass over each file.
 */
import { type FieldMisfits, MisfitList } from '@geomill/core/columns/misfits.ts';
import type { OpenType } from '@geomill/core/columns/schema.ts';
import type { Findings, FoundFinding } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import type { TemplateParams } from '@geomill/core/messages/message.ts';
import type { FormatReader } from '@geomill/formats/reader.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { Executor } from './executor.ts';
import { locateAt } from './locations.ts';
import type { OpenedInput } from './opened-input.ts';
import { runSources } from './partition-run.ts';
import type { RunSource } from './run-source.ts';

/** Thrown for a value that contradicts its declaration; caught where the fields with such values are collected. */
export class ContradictedDeclaration extends Error {}

/** Thrown with all fields with such values; caught where the next attempt begins. */
export class MisfitsFound extends Error {
  readonly misfits: readonly LayerMisfits[];

  constructor(misfits: readonly LayerMisfits[]) {
    super();
    this.misfits = misfits;
  }
}

/** Of a layer of an input file. */
export interface LayerMisfits {
  readonly fileIndex: number;
  readonly layerIndex: number;
  readonly fields: readonly FieldMisfits[];
}

/** Reads all sources and returns the fields with values that contradict their declaration. */
export async function collectMisfits(
  sources: readonly RunSource[],
  executor: Executor,
  signal: AbortSignal,
  limits: InputLimits,
): Promise<LayerMisfits[]> {
  const lists = sources.map(() => new MisfitList());
  await runSources({
    executor,
    signal,
    limits,
    sources: sources.map(({ layer, tally, sessionIndex, readFields: fields }, i) => ({
      partitions: layer.partitions,
      isSequential: layer.isSequential,
      at: tally.facts.at,
      makeTask: (partition) => ({
        layerIndex: sessionIndex,
        input: { kind: 'partition', partition, fields },
        stage: null,
        stageFields: null,
        statisticsDepth: null,
        keepBatch: false,
        encoding: null,
      }),
      consume: ({ misfits }, _partition, base) =>
        lists[i].merge(misfits, (location) => locateAt(location, base, tally.facts.at), tally.facts.plan.crs),
    })),
  });
  return sources.map(({ tally }, i) => {
    const { fileIndex, layerIndex } = tally.facts.plan;
    return { fileIndex, layerIndex, fields: lists[i].list() };
  });
}

/** The inputs; layers with misfits are read without the declarations of these fields. */
export function undeclared(
  inputs: readonly OpenedInput[],
  misfits: readonly LayerMisfits[],
  codecs: readonly { readonly reader: Pick<FormatReader, 'undeclare'> }[],
): OpenedInput[] {
  return inputs.map((input, file) => ({
    ...input,
    layers: input.layers.map((layer, index) => {
      const fields = misfitsOf(misfits, file, index);
      const names = new Set(fields.map(({ field }) => field));
      const { reader } = codecs[file];
      return names.size === 0 || reader.undeclare === undefined ? layer : reader.undeclare(layer, names);
    }),
  }));
}

function misfitsOf(misfits: readonly LayerMisfits[], file: number, layer: number): readonly FieldMisfits[] {
  return misfits
    .filter(({ fileIndex, layerIndex }) => fileIndex === file && layerIndex === layer)
    .flatMap(({ fields }) => fields);
}

/** Notes the types that the fields were read with in the end. */
export function noteWidened(
  sources: readonly RunSource[],
  misfits: readonly LayerMisfits[],
  findings: Findings,
): void {
  for (const { layer, found, tally } of sources) {
    const { fileIndex, layerIndex } = tally.facts.plan;
    const own = misfitsOf(misfits, fileIndex, layerIndex);
    for (const misfit of own) {
      const finding = widenedFinding(misfit, layer.fields ?? found);
      findings.merge([finding]);
      findings.addListed(generalFindings.FIELD_WIDENED, finding.params, misfit.listed ?? []);
    }
  }
}

type WidenedParams = TemplateParams<typeof generalFindings.FIELD_WIDENED.template>;

/** `fields`: of the layer as it was read in the end. */
export function widenedFinding(
  { field, declared, count, locations }: FieldMisfits,
  fields: readonly { readonly name: string; readonly type: OpenType }[],
): FoundFinding & { readonly params: WidenedParams } {
  const type = fields.find(({ name }) => name === field)?.type ?? 'string';
  const entry = generalFindings.FIELD_WIDENED;
  const { code } = entry;
  return { entry, code, params: { field, declared, type }, count, places: locations, message: '' };
}

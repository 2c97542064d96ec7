/** A layer of an input file during the conversion. */
import type { FoundField } from '@geomill/core/columns/field-mapping.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { FormatReader, SourceLayer } from '@geomill/formats/reader.ts';
import type { InputCodec } from './codecs.ts';
import type { ConversionPlan, SourcePlan } from './conversion-plan.ts';
import { GEOMETRY_ONLY } from './field-mappings.ts';
import { hasOpenFields, type OpenedInput } from './opened-input.ts';
import type { ConversionRequest } from './request.ts';
import { SourceTally } from './tally.ts';
import type { SourceMapping } from './task.ts';

export interface RunSource {
  readonly layer: SourceLayer;
  /** Of its file. */
  readonly reader: FormatReader;
  /** Position in the session. */
  readonly sessionIndex: number;
  readonly tally: SourceTally;
  /** In messages: "'roads.shp'", "layer 'roads' of 'all.gpkg'". */
  readonly reportedAs: string;
  /** "roads.shp", or "all.gpkg:roads". */
  readonly sourceName: string;
  /** The inferred schema. */
  found: readonly FoundField[];
  foundIds: FoundField | null;
  /** Maps the fields of its batches to those of the layer; null: the batches stay as they are. */
  fieldMapping: SourceMapping | null;
  /** Fields to read; null: those that the reader finds. */
  readFields: readonly Field[] | null;
}

/**
 * Whether the schema of the layer must be inferred, in a plan with such a pass: in an append or merge, the fields of
 * layers that declare theirs are known; in a conversion, steps get inferred fields in every layer.
 */
export function needsInferredSchema(
  { unifiesFields }: Pick<ConversionPlan, 'unifiesFields'>,
  sources: readonly RunSource[],
): boolean {
  return !unifiesFields || sources.some(({ layer, reader }) => hasOpenFields(layer, reader));
}

/** The sources of each layer of the plan. */
export function runSourcesOf(
  plan: ConversionPlan,
  inputs: readonly OpenedInput[],
  request: ConversionRequest,
  codecs: readonly InputCodec[],
): RunSource[][] {
  let sessionIndex = 0;
  return plan.layers.map(({ sources, target }) =>
    sources.map((source, position) => {
      const opened = inputs[source.fileIndex].layers[source.layerIndex];
      const layer = position === 0 ? (target ?? opened) : opened;
      const { reader } = codecs[source.fileIndex];
      const tally = new SourceTally(factsOf(source, inputs, request), reader.mixedType);
      // Features that stay in the target count as read.
      if (layer.isTarget) tally.rowsRead = layer.featureCount ?? 0;
      const isMerged = plan.operation === 'merge' && !plan.unifiesFields;
      return {
        layer,
        reader,
        sessionIndex: sessionIndex++,
        tally,
        reportedAs: labelOf(source, inputs),
        sourceName: nameOf(source, inputs),
        found: [],
        foundIds: null,
        fieldMapping: isMerged ? GEOMETRY_ONLY : null,
        readFields: isMerged ? [] : null,
      };
    }),
  );
}

function factsOf(
  plan: SourcePlan,
  inputs: readonly OpenedInput[],
  request: ConversionRequest,
): SourceTally['facts'] {
  const { name, ignoredCrs } = inputs[plan.fileIndex];
  const { crs, crsPath } = request.input.files[plan.fileIndex];
  const isOne = inputs.length === 1;
  return {
    plan,
    at: isOne ? { layer: plan.name } : { file: name, layer: plan.name },
    label: isOne ? `layer '${plan.name}'` : labelOf(plan, inputs),
    isCrsStated: crs !== null,
    crsPath,
    ignoredCrs,
  };
}

function labelOf({ fileIndex, name: layer }: SourcePlan, inputs: readonly OpenedInput[]): string {
  const { name, layers } = inputs[fileIndex];
  return layers.length === 1 ? `'${name}'` : `layer '${layer}' of '${name}'`;
}

function nameOf({ fileIndex, name: layer }: SourcePlan, inputs: readonly OpenedInput[]): string {
  const { name, layers } = inputs[fileIndex];
  return layers.length === 1 ? name : `${name}:${layer}`;
}

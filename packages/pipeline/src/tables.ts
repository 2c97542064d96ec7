/** Layers without geometries: when they are read, which steps they refuse, and when an output is one. */
import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import type { Format } from '@geomill/formats/format.ts';
import { CRS_WITHOUT_POSITIONS, type OpenContext, type SourceLayer } from '@geomill/formats/reader.ts';
import { layersOf } from '@geomill/operations/parts/step-layers.ts';
import { appliesTo } from './chain.ts';
import type { LoadedStep } from './conversion-plan.ts';
import { pipelineErrors } from './errors.ts';
import { keepsFile } from './kept-content.ts';
import type { LayerGroup } from './layer-groups.ts';
import type { ConversionRequest } from './request.ts';

/** What a plan for tables depends on. */
export interface TableQuestion {
  readonly request: ConversionRequest;
  readonly output: Format;
  readonly steps: readonly LoadedStep[];
}

/** The output has no geometries, and nothing before uses them. */
export function leavesGeometriesUnused({ request, output, steps }: TableQuestion): boolean {
  return dropsGeometries(request, output) && steps.every((step) => step.usesGeometries === 'never');
}

/**
 * Which tables of a file are layers. Beside layers with geometries only those that the request names are, unless the output holds all of them
 * and no step is for all layers: fields and positions that it needs are those of the layers with geometries. An output that keeps other content of
 * the file has its tables in any case.
 */
export function tablesRead(question: TableQuestion): Pick<OpenContext, 'tables' | 'geometriesUnused'> {
  const { request, output, steps } = question;
  const { layers } = request.input;
  const holdsAll =
    request.operation === 'transform' &&
    request.output.split == null &&
    layers === null &&
    output.holdsTables === true &&
    output.outputLayers === 'many' &&
    !keepsFile(request, output) &&
    steps.every((step) => step.code.kind === 'reprojecting' || layersOf(step) !== null);
  return {
    tables: holdsAll ? 'all' : (layers ?? []),
    ...(leavesGeometriesUnused(question) ? { geometriesUnused: true as const } : {}),
  };
}

/**
 * Whether a layer of the output is a table. Throws STEP_NEEDS_GEOMETRY if a step works on geometries that no source has, and MERGE_NEEDS_ATTRIBUTES for a
 * merge of which nothing would be left.
 */
export function isTableOutput(
  { name, sources }: LayerGroup,
  { request, output, steps }: TableQuestion,
): boolean {
  const isTable = sources.every(({ layer }) => layer.isTable === true);
  const refusing = steps.find((step) => step.usesGeometries === 'needed' && appliesTo(step, name));
  if (isTable && refusing !== undefined)
    throw failure(pipelineErrors.STEP_NEEDS_GEOMETRY, {
      path: field(refusing.path),
      step: refusing.type,
      layer: name,
    });
  const { attributes, sourceField } = request.merge ?? { attributes: 'none' };
  const mergesNone = request.operation === 'merge' && attributes === 'none' && sourceField === undefined;
  if (isTable && mergesNone)
    throw failure(pipelineErrors.MERGE_NEEDS_ATTRIBUTES, { attributes: field('attributes') });
  return (isTable && output.holdsTables === true) || dropsGeometries(request, output);
}

/** The layer with an assumed CRS if it has none and needs none. */
export function withUnusedCrs(layer: SourceLayer, question: TableQuestion): SourceLayer {
  const isUnused = layer.crs === null && leavesGeometriesUnused(question);
  return isUnused ? { ...layer, assumedCrs: CRS_WITHOUT_POSITIONS } : layer;
}

function dropsGeometries({ output: { options } }: ConversionRequest, { holdsTables }: Format): boolean {
  return holdsTables === true && options.geometry === 'none';
}

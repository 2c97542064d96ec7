/**
 * The steps of a request laid out for one layer: pure data. There is a reprojection between two steps where the CRS
 * changes. A step that needs all features, or all of them in order, ends a stage; the steps after it are in the next stage.
 *
 *   read -> links of stage 0 -> collect -> links of stage 1 -> collect -> ... -> links of the last stage -> statistics, encode
 */

import { indexOfField } from '@geomill/core/columns/known-field.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { CrsText } from '@geomill/core/crs/crs.ts';
import { didYouMean } from '@geomill/core/messages/did-you-mean.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { listed, shortText } from '@geomill/core/messages/short-text.ts';
import { domainTexts } from '@geomill/operations/domain_texts/record.ts';
import { layersOf } from '@geomill/operations/parts/step-layers.ts';
import type { RequestedStep } from '@geomill/operations/requested-steps.ts';
import { SPLIT_PATH, splitBy } from '@geomill/operations/split_by/record.ts';
import {
  contentName,
  type FeatureCollector,
  type FeatureFile,
  type FileParameter,
  type Transformation,
} from '@geomill/operations/transformation.ts';
import { fileBytes } from '@geomill/platform/files.ts';
import type { ChainLink, LoadedStep, StagePlan, StepLink } from './conversion-plan.ts';
import { pipelineErrors } from './errors.ts';
import type { InputPath } from './request.ts';

/** Adds the features of a file of `stepInputs` to the collector; resolves with the CRS of their coordinates, or null where it takes none. */
export type ReadFeatures = (
  request: FeatureFile,
  file: InputPath,
  index: number,
  collector: FeatureCollector,
) => Promise<CrsText | null>;

/**
 * Loads the code of the steps, and their file parameters from `stepInputs`, by name. Throws TRANSFORMATION_INVALID for
 * an invalid one, and what `readFeatures` throws. An unknown type is an internal error here: requests are checked before they are queued.
 */
export async function loadSteps(
  steps: readonly RequestedStep[],
  registry: readonly Transformation[],
  stepInputs: Readonly<Record<string, InputPath>> = {},
  readFeatures: ReadFeatures = () => Promise.reject(new Error('files of features cannot be read here')),
): Promise<readonly LoadedStep[]> {
  const files = new Map<string, Promise<FileValue>>();
  const loaded: LoadedStep[] = [];
  const codes = steps.map(({ type }) => transformationById(type, registry).load());
  // They are awaited one after another; this prevents an unhandled rejection until then.
  for (const code of codes) code.catch(() => {});
  // In their order, so that the first broken file is reported.
  for (const [i, step] of steps.entries()) {
    const { fileParameter, longitudes, usesGeometries: use } = transformationById(step.type, registry);
    const usesGeometries = typeof use === 'function' ? use(step.params) : use;
    const path = step.path ?? `transformations[${i}]`;
    const code = await codes[i];
    if (fileParameter === undefined) {
      loaded.push({ ...step, path, longitudes, usesGeometries, code });
      continue;
    }
    const name = contentName(fileParameter);
    const own = fileParameter.usesParameters === true ? [step.type, step.params] : [];
    const key = JSON.stringify([fileParameter.part, step.file, ...own]);
    const value =
      step.file === undefined
        ? { value: fileParameter.value?.fromValue(step.params[name], `${path}.${name}`) }
        : await remembered(files, key, () => fileValue(fileParameter, step, stepInputs, readFeatures, i));
    const { value: content, ...crs } = value;
    const params = { ...step.params, [name]: content };
    loaded.push({ ...step, path, params, ...crs, longitudes, usesGeometries, code });
  }
  return loaded;
}

interface FileValue {
  readonly value: unknown;
  readonly fileCrs?: CrsText;
}

async function fileValue(
  parameter: FileParameter,
  { file: own, params }: RequestedStep,
  stepInputs: Readonly<Record<string, InputPath>>,
  readFeatures: ReadFeatures,
  index: number,
): Promise<FileValue> {
  const { input, features } = own!;
  const file = stepInputs[input];
  if (features === undefined) return { value: parameter.value?.fromFile(fileBytes(file.path), input) };
  const collector = await parameter.collector(features.paths.file, params);
  const fileCrs = await readFeatures(features, file, index, collector);
  const value = collector.finish();
  return fileCrs === null ? { value } : { value, fileCrs };
}

/** Steps may share a file. */
function remembered<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

export function transformationById(
  id: string,
  registry: readonly Transformation[],
): Pick<Transformation, 'id' | 'fileParameter' | 'longitudes' | 'usesGeometries' | 'load'> {
  const record = [...registry, domainTexts, splitBy].find((transformation) => transformation.id === id);
  if (record === undefined) throw new Error(`transformation '${id}' is not registered`);
  return record;
}

/**
 * `differ`: whether positions have other coordinates in the two systems. `workCrs`: the CRS of the steps until one of
 * them changes it; appended features may be in another CRS and are reprojected to it first. `targetCrs` null: the output is in
 * the CRS after the steps. Steps for other layers than `layerName` are left out.
 */
export function planStages(
  steps: readonly LoadedStep[],
  sourceCrs: CrsText,
  targetCrs: CrsText | null,
  differ: (a: CrsText, b: CrsText) => boolean,
  workCrs: CrsText = sourceCrs,
  layerName = '',
): readonly StagePlan[] {
  const stages: StagePlan[] = [];
  let links: ChainLink[] = [];
  let reprojections = 0;
  let crs = sourceCrs;
  // Only where a step or the output needs it: the first of two consecutive reprojections would be wasted.
  const moveTo = (wanted: CrsText): void => {
    if (wanted !== crs && differ(crs, wanted))
      links.push({ kind: 'reproject', from: crs, to: wanted, number: reprojections++ });
    crs = wanted;
  };
  let wanted = workCrs;
  steps.forEach((loaded, step) => {
    const { code, params } = loaded;
    if (!appliesTo(loaded, layerName)) return;
    if (code.kind === 'reprojecting') {
      wanted = code.targetCrs(params);
      return;
    }
    moveTo(wanted);
    const link: StepLink = { kind: 'step', step, crs };
    if (code.kind === 'streaming') {
      if (code.numbersRows?.(params)) {
        stages.push({ links, collect: null });
        links = [];
      }
      links.push(link);
      if (code.addition?.isWanted(params)) {
        stages.push({ links, collect: null });
        links = [];
      }
      return;
    }
    stages.push({ links, collect: link });
    links = [];
  });
  moveTo(targetCrs ?? wanted);
  stages.push({ links, collect: null });
  return stages;
}

/** The CRS after the steps, which begin in `workCrs`. */
export function crsAfter(steps: readonly LoadedStep[], workCrs: CrsText, layerName: string): CrsText {
  return steps.reduce(
    (crs, step) =>
      step.code.kind === 'reprojecting' && appliesTo(step, layerName)
        ? step.code.targetCrs(step.params)
        : crs,
    workCrs,
  );
}

/** Whether the step works on the layer, by its parameter `layer`. */
export function appliesTo(step: Pick<RequestedStep, 'params'>, layerName: string): boolean {
  return layersOf(step)?.includes(layerName) ?? true;
}

/** Throws STEP_LAYER_UNKNOWN if a step names a layer that is not one of these. */
export function checkLayers(steps: readonly LoadedStep[], names: readonly string[]): void {
  for (const step of steps)
    for (const layer of layersOf(step) ?? []) {
      if (names.includes(layer)) continue;
      const known = listed(names.map((name) => `'${shortText(name, 58)}'`)) || 'none';
      const path = field(`${step.path}.layer`);
      throw failure(pipelineErrors.STEP_LAYER_UNKNOWN, {
        path,
        layer,
        known,
        hint: didYouMean(layer, names),
      });
    }
}

export function reprojectionsOf(
  stages: readonly Pick<StagePlan, 'links'>[],
): readonly (ChainLink & { kind: 'reproject' })[] {
  return stages.flatMap(({ links }) => links.filter((link) => link.kind === 'reproject'));
}

/** Whether any step changes features. A reprojection does not: what a file declares of them stays true. */
export function changesFeatures(steps: readonly LoadedStep[]): boolean {
  return steps.some(({ code }) => code.kind !== 'reprojecting');
}

/** Throws FIELD_UNKNOWN if the field by which an output is split is not one of these fields of the layer. */
export function requireField(fields: readonly Field[], name: string, layerName: string): void {
  try {
    indexOfField(fields, name);
  } catch (error) {
    if (!(error instanceof GeomillError) || error.code !== 'FIELD_UNKNOWN') throw error;
    const path = field(SPLIT_PATH);
    const where = layerName === '' ? phrase`${path}` : phrase`layer '${layerName}' at ${path}`;
    throw new GeomillError(error.entry, { ...error.params, where }, { layer: layerName }, error);
  }
}

/** The steps without the one whose last field divides the output: its values are no part of the output. */
export function visibleSteps(steps: readonly LoadedStep[]): readonly LoadedStep[] {
  return steps.filter(({ type }) => type !== splitBy.id);
}

/** The fields after the steps, given the fields before them. Throws FIELD_UNKNOWN with step and layer. */
export function fieldsAfter(
  fields: readonly Field[],
  steps: readonly LoadedStep[],
  layerName: string,
): readonly Field[] {
  let current = fields;
  for (const step of steps) {
    const { code, params, path } = step;
    if (!appliesTo(step, layerName)) continue;
    try {
      current = code.outputFields?.(current, params, path) ?? current;
    } catch (error) {
      if (!(error instanceof GeomillError) || error.code !== 'FIELD_UNKNOWN') throw error;
      const where =
        layerName === '' ? phrase`${field(path)}` : phrase`layer '${layerName}' at ${field(path)}`;
      throw new GeomillError(error.entry, { ...error.params, where }, { layer: layerName }, error);
    }
  }
  return current;
}

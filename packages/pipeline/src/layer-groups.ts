/** Assigns layers of the input files to layers of the output. Pure. */
import { didYouMean } from '@geomill/core/messages/did-you-mean.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { listed, shortText } from '@geomill/core/messages/short-text.ts';
import type { SourceLayer } from '@geomill/formats/reader.ts';
import { pipelineErrors } from './errors.ts';
import type { OpenedFile } from './opened-input.ts';
import type { ConversionRequest } from './request.ts';

export interface ChosenLayer {
  /** Position among the input files. */
  readonly fileIndex: number;
  /** Position in the file's list of layers. */
  readonly layerIndex: number;
  readonly layer: SourceLayer;
}

/** A layer of the output and the sources of its features, in order. */
export interface LayerGroup {
  readonly name: string;
  /** At least one; when layers are appended, the first is the target. */
  readonly sources: readonly ChosenLayer[];
}

/**
 * `outputName`: of the one layer that a merge makes, and of layers that neither have a name nor are in a file that has
 * one. Throws LAYER_UNKNOWN, LAYER_NOT_IN_TARGET and the error of a chosen layer that cannot be read.
 */
export function groupLayers(
  operation: ConversionRequest['operation'],
  files: readonly OpenedFile[],
  wanted: readonly string[] | null,
  outputName: string,
): LayerGroup[] {
  if (operation === 'transform') {
    return chooseLayers(files[0].layers, wanted).map(({ layer, index }) => ({
      name: nameInOutput(layer, files[0], outputName),
      sources: [{ fileIndex: 0, layerIndex: index, layer }],
    }));
  }
  const chosen = chooseFromFiles(files, wanted);
  if (operation === 'merge') {
    const sources = chosen.flat();
    return sources.length === 0 ? [] : [{ name: outputName, sources }];
  }
  return appendToTarget(files, chosen, outputName);
}

/** The requested layers with their positions; null: all. Throws LAYER_UNKNOWN and the error of an unreadable one. */
export function chooseLayers(
  source: readonly SourceLayer[],
  wanted: readonly string[] | null,
): { layer: SourceLayer; index: number }[] {
  const all = source.map((layer, index) => ({ layer, index }));
  if (wanted === null) return all.map(readable);
  for (const name of wanted)
    if (!source.some((layer) => layer.name === name)) throw unknownLayer(name, source);
  return all.filter(({ layer }) => wanted.includes(layer.name)).map(readable);
}

/** A layer named like its file has no name of its own; if the file is unnamed too, it gets the name of the output. */
function nameInOutput({ name }: SourceLayer, file: OpenedFile, outputName: string): string {
  return file.isUnnamed && name === file.name ? outputName : name;
}

function unknownLayer(layer: string, known: readonly SourceLayer[], file?: string): Error {
  const location = file === undefined ? undefined : { file };
  const hint = didYouMean(
    layer,
    known.map(({ name }) => name),
  );
  return failure(pipelineErrors.LAYER_UNKNOWN, { layer, known: namesOf(known) || 'none', hint }, location);
}

export function namesOf(layers: readonly Pick<SourceLayer, 'name'>[]): string {
  return listed([...new Set(layers.map(({ name }) => `'${shortText(name, 58)}'`))]);
}

function readable<Chosen extends { readonly layer: SourceLayer }>(chosen: Chosen): Chosen {
  if (chosen.layer.fault !== undefined) throw chosen.layer.fault;
  return chosen;
}

/**
 * The requested layers of each file. The single layer of a file is taken whatever its name: in most formats layers are
 * named after their files. Every other file must hold a requested layer, and every requested layer must be in a file.
 */
function chooseFromFiles(
  files: readonly OpenedFile[],
  wanted: readonly string[] | null,
): readonly (readonly ChosenLayer[])[] {
  const all = files.map(({ layers }, fileIndex) =>
    layers.map((layer, layerIndex) => ({ fileIndex, layerIndex, layer })),
  );
  if (wanted === null) return all.map((layers) => layers.map(readable));
  const isIn = (layers: readonly SourceLayer[], name: string): boolean =>
    layers.some((layer) => layer.name === name);
  for (const name of wanted)
    if (!files.some(({ layers }) => isIn(layers, name)))
      throw unknownLayer(
        name,
        files.flatMap(({ layers }) => layers),
      );
  return all.map((layers, i) => {
    const known = files[i].layers;
    const names = new Set(wanted.flatMap((name) => namesake(name, known) ?? []));
    if (names.size > 0) return layers.filter(({ layer }) => names.has(layer.name)).map(readable);
    if (layers.length === 1) return layers.map(readable);
    throw unknownLayer(wanted.join("', '"), known, files[i].name);
  });
}

/** The name of the layer that matches exactly, or of the only one that matches without regard to case; else null. */
function namesake(name: string, layers: readonly { readonly name: string }[]): string | null {
  if (layers.some((layer) => layer.name === name)) return name;
  const alike = layers.filter((layer) => layer.name.toLowerCase() === name.toLowerCase());
  return alike.length === 1 ? alike[0].name : null;
}

function appendToTarget(
  files: readonly OpenedFile[],
  [targets, ...appended]: readonly (readonly ChosenLayer[])[],
  outputName: string,
): LayerGroup[] {
  const groups = targets.map((target) => ({
    name: nameInOutput(target.layer, files[0], outputName),
    sources: [target],
  }));
  for (const chosen of appended.flat()) {
    const { layer, fileIndex } = chosen;
    const name = groups.length === 1 ? groups[0].name : namesake(layer.name, groups);
    const group = groups.find((candidate) => candidate.name === name);
    const file = files[fileIndex].name;
    if (group === undefined)
      throw failure(
        pipelineErrors.LAYER_NOT_IN_TARGET,
        {
          layer: layer.name,
          file,
          target: files[0].name,
          known: namesOf(targets.map((target) => target.layer)),
        },
        { file, layer: layer.name },
      );
    group.sources.push(chosen);
  }
  return groups;
}

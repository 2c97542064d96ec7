/**
 * Excerpts of large layers. A conversion that begins with a filter by a box, or by values of fields, reads only the features, or the parts
 * of the layer, that it may keep, if the file shows which these are. One that begins with a sample, or takes it after filters, reads evenly spaced
 * parts; it restarts with larger ones if they have fewer features than the sample. After any doubt, which is an error or
 * records that cannot be read, it restarts with the whole layer.
 *
 * In text formats a part begins where a feature seems to begin, and what is before it is not read to check that. A wrong
 * guess is an error in almost every file; the exception is a nested list of features, or text in quotes with rows of its own,
 * that goes on for the whole part.
 */
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { Findings, FoundFinding } from '@geomill/core/messages/findings.ts';
import type { Excerpt, ExcerptRules, FormatReader, Partition, SourceLayer } from '@geomill/formats/reader.ts';
import { layersOf } from '@geomill/operations/parts/step-layers.ts';
import type { TransformationCode } from '@geomill/operations/transformation.ts';
import type { LoadedStep } from './conversion-plan.ts';
import { pipelineFindings } from './findings.ts';
import type { OpenedInput } from './opened-input.ts';
import type { ConversionRequest } from './request.ts';
import type { SourceTally } from './tally.ts';

/** Thrown where an excerpt has too few features; caught where the conversion restarts. */
export class ExcerptTooSmall extends Error {
  /** How many sizes larger an excerpt with enough features probably is; at least 1. */
  readonly sizes: number;

  constructor(found: number, wanted: number) {
    super();
    this.sizes = Math.max(1, Math.ceil(Math.log(wanted / found) / Math.log(GROWTH)));
  }
}
/** Thrown for records of an excerpt that cannot be read: the part may begin at a wrong place. */
export class ExcerptDoubtful extends Error {}

/** Smaller inputs are read whole within a second. */
const LARGE_BYTES = 64 << 20;
/** Parts of an excerpt: many, as features that are near each other in a file are often near each other on the map. */
const PART_COUNT = 1500;
const PART_BYTES = 16 << 10;
/** Growth of the parts from one attempt to the next. */
const GROWTH = 4;
/** Bytes of a partition in which a layer is read whole. */
const WHOLE_BYTES = 1 << 20;

/** How a conversion takes excerpts. */
export interface ExcerptPlan {
  readonly rules: ExcerptRules;
  /** Wanted size of the partitions of the opened layers. */
  readonly partitionBytes: number;
  /** A sample is taken before any step that does more than select features. */
  readonly isSampled: boolean;
  /** The first step is a filter by a box, and the format has indexes. */
  readonly mayHaveBox: boolean;
  /** The first step is a filter, and the format selects the features that it may keep; they have no numbers in the layer. */
  readonly selects: boolean;
}

/** Null: the layers are read whole. */
export function planExcerpts(
  { operation }: Pick<ConversionRequest, 'operation'>,
  steps: readonly LoadedStep[],
  { excerpts }: Pick<FormatReader, 'excerpts'>,
  inputBytes: number,
): ExcerptPlan | null {
  if (operation !== 'transform' || excerpts === undefined || inputBytes < LARGE_BYTES) return null;
  // Other layers are needed whole.
  if (steps.some((step) => layersOf(step) !== null)) return null;
  const codes = steps.map(({ code }) => code);
  const isSelecting = (code: TransformationCode): boolean =>
    code.kind === 'streaming' && code.selects === true;
  const first = codes.find((code) => code.kind !== 'reprojecting' && !isSelecting(code));
  const isSampled = first?.kind === 'serial' && first.sampleSize !== undefined;
  const [begin] = steps;
  const hasBox = begin?.code.kind === 'streaming' && begin.code.hasBoxes?.(begin.params) === true;
  const mayHaveBox = excerpts.partitionsNear !== undefined && hasBox;
  const hasValues = begin?.code.kind === 'streaming' && !!begin.code.wantedValues?.(begin.params).length;
  const needsRows = steps.some(({ code, params }) => code.kind === 'serial' && code.needsRows?.(params));
  // A sample is taken around the box alone.
  const selects = (hasBox || hasValues) && excerpts.selectFeatures !== undefined && !isSampled && !needsRows;
  if (!isSampled && !mayHaveBox && !selects) return null;
  const guessedBytes = Math.max(PART_BYTES, Math.ceil(inputBytes / PART_COUNT));
  const partitionBytes = excerpts.boundaries === 'known' ? PART_BYTES : guessedBytes;
  return { rules: excerpts, partitionBytes, isSampled, mayHaveBox, selects };
}

/** Which excerpt to take: from 0, each larger than the one before; 'all': every part that can have features that the first step keeps; 'whole': the whole layers. */
export type ExcerptSize = number | 'all' | 'whole';

/** The inputs with excerpts of their layers, whose `featureCount` is exact or null. */
export function excerptsOf(
  inputs: readonly OpenedInput[],
  plan: ExcerptPlan,
  size: ExcerptSize,
  candidates: CandidatesByLayer = new Map(),
): OpenedInput[] {
  return inputs.map((input) => ({
    ...input,
    layers: input.layers.map((layer) => excerptOf(layer, plan, size, candidates.get(layer) ?? null)),
  }));
}

export function isExcerpt({ excerpt }: Pick<SourceLayer, 'excerpt'>): boolean {
  return excerpt !== undefined;
}

function excerptOf(
  layer: SourceLayer,
  plan: ExcerptPlan,
  size: ExcerptSize,
  isWanted: Uint8Array | null,
): SourceLayer {
  const { rules, isSampled } = plan;
  const excerpt = { isSampled: false, isNearBox: isWanted !== null, hasValues: false };
  const sampled = isSampled && typeof size === 'number' ? sampledParts(layer, plan, size, isWanted) : null;
  if (sampled !== null) {
    const parts = withFeaturesBefore(layer, sampled, rules);
    return cutOut(layer, parts, rules, { ...excerpt, isSampled: true });
  }
  if (isWanted === null || size === 'whole') return { ...layer, partitions: largePartitions(layer, plan) };
  const parts = runsOf(layer.partitions, isWanted, Math.ceil(WHOLE_BYTES / plan.partitionBytes));
  const counted = withFeaturesBefore(layer, parts, rules);
  return cutOut(layer, counted, rules, excerpt);
}

/** The layer with these partitions alone. Its number of features counts all of them. */
function cutOut(
  layer: SourceLayer,
  partitions: readonly Partition[],
  { countFeatures }: ExcerptRules,
  excerpt: Excerpt,
): SourceLayer {
  const { start, featuresBefore = null } = partitions.at(-1) ?? { start: 0, featuresBefore: 0 };
  const rest = countFeatures(layer, { start, end: layer.partitions[layer.partitions.length - 1].end });
  const featureCount = featuresBefore === null || rest === null ? null : featuresBefore + rest;
  return { ...layer, partitions, featureCount, excerpt };
}

/** Whether a conversion of the whole layers may succeed: errors in an excerpt may come from a part with a wrong beginning. */
export function isAboutExcerpt(error: unknown): boolean {
  if (error instanceof ExcerptTooSmall || error instanceof ExcerptDoubtful) return true;
  return error instanceof GeomillError && error.fault === 'user' && error.code !== 'CANCELLED';
}

/** Notes that only an excerpt of the layer was read. */
export function noteExcerpt(
  { layer, tally }: { readonly layer: SourceLayer; readonly tally: Pick<SourceTally, 'rowsRead' | 'facts'> },
  findings: Findings,
): void {
  if (layer.excerpt === undefined) return;
  const { isSampled, isNearBox } = layer.excerpt;
  const total = layer.featureCount;
  const counts = {
    layer: layer.name,
    read: tally.rowsRead,
    total: total === null ? 'how many it has is not known' : `it has ${total}`,
  };
  if (!isSampled) {
    findings.note(
      isNearBox ? pipelineFindings.READ_NEAR_BOX : pipelineFindings.READ_WITH_VALUES,
      counts,
      tally.facts.at,
    );
    return;
  }
  const where = isNearBox ? 'of the file in and around the box' : 'of the file';
  const parts = layer.partitions.length;
  findings.note(pipelineFindings.SAMPLED_FROM_PARTS, { ...counts, parts, where }, tally.facts.at);
}

/** Throws ExcerptDoubtful. */
export function refuseDoubtful(findings: readonly Pick<FoundFinding, 'entry'>[]): void {
  if (findings.some(({ entry }) => entry.effect === 'dropped')) throw new ExcerptDoubtful();
}

/** Evenly spaced parts of the layer, or of what is near the box; null: too much of it would be read. */
function sampledParts(
  { partitions }: SourceLayer,
  { rules, partitionBytes }: ExcerptPlan,
  attempt: number,
  isNear: Uint8Array | null,
): Partition[] | null {
  const indexes = isNear === null ? null : Uint32Array.from(partitions.keys()).filter((i) => isNear[i] === 1);
  const available = indexes?.length ?? partitions.length;
  const at = (i: number): Partition => partitions[indexes?.[i] ?? i];
  const growth = GROWTH ** attempt;
  const count = Math.min(available, PART_COUNT);
  const readBytes = count * PART_BYTES * growth;
  if (readBytes * 2 > available * partitionBytes) return null;
  const parts: Partition[] = [];
  for (let i = 0; i < count; i++) {
    const first = Math.floor((i * available) / count);
    const { start, end } = at(first);
    if (rules.boundaries === 'guessed') {
      parts.push({ start, end: Math.min(end, start + PART_BYTES * growth) });
      continue;
    }
    let part = { start, end };
    for (let next = first + 1; next < Math.min(first + growth, available); next++) {
      if (at(next).start === part.end) part = { start: part.start, end: at(next).end };
      else {
        parts.push(part);
        part = { ...at(next) };
      }
    }
    parts.push(part);
  }
  return parts;
}

/** The marked partitions, up to `most` consecutive ones joined to one. */
function runsOf(partitions: readonly Partition[], isMarked: Uint8Array, most: number): Partition[] {
  const runs: Partition[] = [];
  for (let i = 0; i < partitions.length; i++) {
    if (isMarked[i] === 0) continue;
    let last = i;
    while (last + 1 < i + most && isMarked[last + 1] === 1) last++;
    runs.push({ start: partitions[i].start, end: partitions[last].end });
    i = last;
  }
  return runs;
}

/** Counts the features before each part, also those of parts that are not read. */
function withFeaturesBefore(
  layer: SourceLayer,
  parts: readonly Partition[],
  { countFeatures }: ExcerptRules,
): Partition[] {
  let counted = 0;
  let before: number | null = 0;
  return parts.map(({ start, end }, i) => {
    // The first part of a text format begins after its head, before which there is no feature.
    const gap =
      i === 0 && start === layer.partitions[0].start
        ? 0
        : countFeatures(layer, { start: counted, end: start });
    before = before === null || gap === null ? null : before + gap;
    counted = start;
    return { start, end, featuresBefore: before };
  });
}

/** The partitions of the layer, joined to the usual size where they are many small ones. */
function largePartitions(
  { partitions }: SourceLayer,
  { rules, partitionBytes }: ExcerptPlan,
): readonly Partition[] {
  if (rules.boundaries !== 'known' || partitions.length <= PART_COUNT) return partitions;
  return runsOf(
    partitions,
    new Uint8Array(partitions.length).fill(1),
    Math.ceil(WHOLE_BYTES / partitionBytes),
  );
}

/** Layers, and 1 for each of their partitions that can be near the box of the first step, else 0. Layers that are missing are read everywhere. */
export type CandidatesByLayer = ReadonlyMap<SourceLayer, Uint8Array>;

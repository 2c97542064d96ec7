/**
 * Excerpts of large layers: evenly spaced parts, of which a sample is taken. A conversion that begins with a sample reads
 * these parts alone; it restarts with larger ones if they have fewer features than the sample, and with the whole layer
 * after any doubt: an error, or records that cannot be read.
 *
 * In text formats a part begins where a feature seems to begin, and what is before it is not read to check that. A wrong
 * guess is an error in almost every file; the exception is a nested list of features, or text in quotes with rows of its own,
 * that goes on for the whole part.
 */
import { GeomillError } from '../errors.ts';
import type { Finding, Findings } from '../findings.ts';
import { findingCatalogue } from '../findings.ts';
import type { ExcerptRules, FormatReader, Partition, SourceLayer } from '../formats/format.ts';
import type { LoadedStep } from './chain.ts';
import type { OpenedInput } from './open-inputs.ts';
import type { ConversionRequest } from './request.ts';
import type { RunSource } from './run-source.ts';

/** Thrown where an excerpt has too few features; caught where the conversion restarts. */
export class ExcerptTooSmall extends Error {}
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
}

/** Null: the layers are read whole. */
export function planExcerpts(
  { operation }: Pick<ConversionRequest, 'operation'>,
  steps: readonly LoadedStep[],
  { excerpts }: Pick<FormatReader, 'excerpts'>,
  inputBytes: number,
): ExcerptPlan | null {
  const first = steps.find(({ code }) => code.kind !== 'reprojecting');
  if (operation !== 'transform' || first?.code.kind !== 'sampling') return null;
  if (excerpts === undefined || inputBytes < LARGE_BYTES) return null;
  const guessedBytes = Math.max(PART_BYTES, Math.ceil(inputBytes / PART_COUNT));
  return { rules: excerpts, partitionBytes: excerpts.boundaries === 'known' ? PART_BYTES : guessedBytes };
}

/** The inputs with excerpts of their layers, whose `featureCount` is exact or null. `attempt`: from 0; null: the layers are read whole. */
export function excerptsOf(
  inputs: readonly OpenedInput[],
  plan: ExcerptPlan,
  attempt: number | null,
): OpenedInput[] {
  return inputs.map((input) => ({
    ...input,
    layers: input.layers.map((layer) => {
      const read = { ...layer, partitions: partitionsFor(layer, plan, attempt) };
      return isExcerpt(read) ? { ...read, featureCount: featuresOf(layer, read, plan.rules) } : read;
    }),
  }));
}

export function isExcerpt({ partitions }: Pick<SourceLayer, 'partitions'>): boolean {
  return partitions.length > 0 && partitions[0].featuresBefore !== undefined;
}

/** The number of all features of the layer, counting those after the last part of its excerpt; null: not known. */
function featuresOf(
  layer: SourceLayer,
  excerpt: SourceLayer,
  { countFeatures }: ExcerptRules,
): number | null {
  const { start, featuresBefore = null } = excerpt.partitions[excerpt.partitions.length - 1];
  const rest = countFeatures(layer, { start, end: layer.partitions[layer.partitions.length - 1].end });
  return featuresBefore === null || rest === null ? null : featuresBefore + rest;
}

/** Whether a conversion of the whole layers may succeed: errors in an excerpt may come from a part with a wrong beginning. */
export function isAboutExcerpt(error: unknown): boolean {
  if (error instanceof ExcerptTooSmall || error instanceof ExcerptDoubtful) return true;
  return error instanceof GeomillError && error.fault === 'user' && error.code !== 'CANCELLED';
}

/** Notes that only an excerpt of the layer was read. */
export function noteExcerpt({ layer, tally }: RunSource, findings: Findings): void {
  if (!isExcerpt(layer)) return;
  const total = layer.featureCount;
  findings.note(
    'SAMPLED_FROM_PARTS',
    {
      layer: layer.name,
      read: tally.rowsRead,
      parts: layer.partitions.length,
      total: total === null ? 'how many it has is not known' : `it has ${total}`,
    },
    tally.facts.at,
  );
}

/** Throws ExcerptDoubtful. */
export function refuseDoubtful(findings: readonly Pick<Finding, 'code'>[]): void {
  if (findings.some(({ code }) => findingCatalogue[code].effect === 'dropped')) throw new ExcerptDoubtful();
}

function partitionsFor(
  layer: SourceLayer,
  { rules, partitionBytes }: ExcerptPlan,
  attempt: number | null,
): readonly Partition[] {
  const { partitions } = layer;
  const isKnown = rules.boundaries === 'known';
  const growth = GROWTH ** (attempt ?? 0);
  const count = Math.min(partitions.length, PART_COUNT);
  const readBytes = count * PART_BYTES * growth;
  if (attempt === null || readBytes * 2 > partitions.length * partitionBytes)
    return isKnown && partitions.length > PART_COUNT
      ? joined(partitions, Math.ceil(WHOLE_BYTES / partitionBytes))
      : partitions;
  const parts: Partition[] = [];
  let counted = 0;
  let before: number | null = 0;
  for (let i = 0; i < count; i++) {
    const index = Math.floor((i * partitions.length) / count);
    const { start, end } = partitions[index];
    const gap = counted === start ? 0 : rules.countFeatures(layer, { start: counted, end: start });
    before = before === null || gap === null ? null : before + gap;
    counted = start;
    const last = isKnown
      ? partitions[Math.min(index + growth, partitions.length) - 1].end
      : Math.min(end, start + PART_BYTES * growth);
    parts.push({ start, end: last, featuresBefore: i === 0 ? 0 : before });
  }
  return parts;
}

/** Partitions of `count` consecutive ones each. */
function joined(partitions: readonly Partition[], count: number): Partition[] {
  return Array.from({ length: Math.ceil(partitions.length / count) }, (_, i) => {
    const last = Math.min((i + 1) * count, partitions.length) - 1;
    return { start: partitions[i * count].start, end: partitions[last].end };
  });
}

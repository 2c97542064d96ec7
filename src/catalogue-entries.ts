/** Entries of the catalogues of errors and findings. Not in errors.ts, which takes in the entries of the formats. */

interface ErrorEntry {
  /** HTTP status when the failure is known while the request is answered. */
  readonly status: number;
  readonly fault: 'user' | 'ours';
  /** One sentence: what is wrong, where, what to do. Its slots are those of message.ts. */
  readonly template: string;
}

export function user<const Template extends string>(status: number, template: Template) {
  return { status, fault: 'user', template } as const;
}

export function ours<const Template extends string>(status: number, template: Template) {
  return { status, fault: 'ours', template } as const;
}

export type ErrorEntries = Readonly<Record<string, ErrorEntry>>;

/** From harmless to serious; see Severity. */
export const severities = ['info', 'changed', 'lost'] as const;

/**
 * How the output differs from what was requested. `info`: not at all. `changed`: values, geometries or names differ from
 * those of the input. `lost`: data of the input is not in the output. Whatever a request asks for, such as removing the
 * features outside a clip polygon, is `info`.
 */
export type Severity = (typeof severities)[number];

type Effect = 'reported' | 'dropped' | 'repaired' | 'split';

export interface FindingEntry {
  /** What happened to the features concerned; decides which counter of the report they add to. */
  readonly effect: Effect;
  readonly severity: Severity;
  /** Its slots are those of message.ts. */
  readonly template: string;
  /** What the count of the finding counts. */
  readonly unit: string;
  /** It concerns the whole job: the count is 1, however many threads and batches notice it. */
  readonly isSingle?: true;
  /** A parameter with a measured number: findings that differ only in it are one, with the largest. */
  readonly largest?: string;
}

function entry<const E extends Effect, const S extends Severity>(effect: E, severity: S) {
  return <const Template extends string>(template: Template, unit = 'time') =>
    ({ effect, severity, template, unit }) as const;
}

// Of findings that add to no counter of features.
export const info = entry('reported', 'info');
export const changed = entry('reported', 'changed');
export const lost = entry('reported', 'lost');
// Of findings whose features are counted.
export const dropped = entry('dropped', 'lost');
export const repaired = entry('repaired', 'changed');
export const split = entry('split', 'changed');
/** Features that the request, or the input itself, says are to be dropped. */
export const removed = entry('dropped', 'info');
/** Features that the request says are to be split. */
export const divided = entry('split', 'info');

/** Of a finding that concerns the whole job. */
export function single<const Entry extends FindingEntry>(one: Entry): Entry & { readonly isSingle: true } {
  return { ...one, isSingle: true };
}

/** Of a finding whose parameter `largest` is measured. */
export function measured<const Entry extends FindingEntry, const Name extends string>(
  one: Entry,
  largest: Name,
): Entry & { readonly largest: Name } {
  return { ...one, largest };
}

export type FindingEntries = Readonly<Record<string, FindingEntry>>;

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

type Effect = 'reported' | 'dropped' | 'repaired' | 'split';

interface FindingEntry {
  /** What happened to the features concerned; decides which counter of the report they add to. */
  readonly effect: Effect;
  /** Its slots are those of message.ts. */
  readonly template: string;
  /** What the count of the finding counts. */
  readonly unit: string;
}

function entry<const E extends Effect>(effect: E) {
  return <const Template extends string>(template: Template, unit = 'time') =>
    ({ effect, template, unit }) as const;
}

export const reported = entry('reported');
export const dropped = entry('dropped');
export const repaired = entry('repaired');
export const split = entry('split');

export type FindingEntries = Readonly<Record<string, FindingEntry>>;

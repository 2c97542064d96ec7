/** What must not happen, by its kind. */
export const PROBLEM_KINDS = [
  'lost',
  'doubled',
  'mixed up',
  'wrong',
  'orphaned',
  'slow',
  'unexpected',
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

export class Problems {
  readonly found = new Map<ProblemKind, string[]>(PROBLEM_KINDS.map((kind) => [kind, []]));

  add(kind: ProblemKind, what: string): void {
    this.found.get(kind)?.push(what);
    console.log(`${kind}: ${what}`);
  }

  get total(): number {
    return [...this.found.values()].reduce((sum, { length }) => sum + length, 0);
  }

  toString(): string {
    return [...this.found].map(([kind, { length }]) => `${length} ${kind}`).join(', ');
  }
}

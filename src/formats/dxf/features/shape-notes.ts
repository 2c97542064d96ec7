/** What shapes tolerated, told once per kind with a count: most entities of a plan may be curves. */
import { GEOMETRY_NOTE_FINDINGS } from '../../../batch/geometry-notes.ts';
import type { Place } from '../../../errors.ts';
import type { Findings } from '../../../findings.ts';

/** Entities of a partition whose places are told. */
const PLACED = 8;

export class ShapeNotes {
  readonly #findings: Findings;
  readonly #counts = new Uint32Array(GEOMETRY_NOTE_FINDINGS.length);
  #told = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Whether the next note needs the place of its entity. */
  get wantsPlace(): boolean {
    return this.#told < PLACED;
  }

  /** `notes` are bits of GEOMETRY_NOTE. */
  add(notes: number, place: Place | undefined): void {
    if (place !== undefined) this.#told++;
    for (let i = 0; i < GEOMETRY_NOTE_FINDINGS.length; i++) {
      const [bit, code] = GEOMETRY_NOTE_FINDINGS[i];
      if ((notes & bit) === 0) continue;
      if (place === undefined) this.#counts[i]++;
      else this.#findings.note(code, {}, place);
    }
  }

  /** Tells those that were only counted. */
  finish(): void {
    for (let i = 0; i < GEOMETRY_NOTE_FINDINGS.length; i++) {
      if (this.#counts[i] === 0) continue;
      this.#findings.note(GEOMETRY_NOTE_FINDINGS[i][1], {}, undefined, this.#counts[i]);
      this.#counts[i] = 0;
    }
  }
}

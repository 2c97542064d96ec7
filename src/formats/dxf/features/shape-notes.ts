/** Reports irregularities that shapes tolerated, once per kind with a count: most entities of a plan may be curves. */
import { GEOMETRY_NOTE_FINDINGS } from '../../../batch/geometry-notes.ts';
import type { Location } from '../../../errors.ts';
import type { Findings } from '../../../findings.ts';

/** Entities of a partition whose locations are reported. */
const LOCATED = 8;

export class ShapeNotes {
  readonly #findings: Findings;
  readonly #counts = new Uint32Array(GEOMETRY_NOTE_FINDINGS.length);
  #located = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Whether the next note needs the location of its entity. */
  get wantsLocation(): boolean {
    return this.#located < LOCATED;
  }

  /** `notes` are bits of GEOMETRY_NOTE. */
  add(notes: number, location: Location | undefined): void {
    if (location !== undefined) this.#located++;
    for (let i = 0; i < GEOMETRY_NOTE_FINDINGS.length; i++) {
      const [bit, code] = GEOMETRY_NOTE_FINDINGS[i];
      if ((notes & bit) === 0) continue;
      if (location === undefined) this.#counts[i]++;
      else this.#findings.note(code, {}, location);
    }
  }

  /** Reports the notes that were only counted. */
  finish(): void {
    for (let i = 0; i < GEOMETRY_NOTE_FINDINGS.length; i++) {
      if (this.#counts[i] === 0) continue;
      this.#findings.note(GEOMETRY_NOTE_FINDINGS[i][1], {}, undefined, this.#counts[i]);
      this.#counts[i] = 0;
    }
  }
}

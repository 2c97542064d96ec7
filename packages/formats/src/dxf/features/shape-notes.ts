/** Reports irregularities that shapes tolerated, once per kind with a count: most entities of a plan may be curves. */
import { GEOMETRY_NOTE_FINDINGS } from '@geomill/core/geometry/geometry-notes.ts';
import type { Location } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';

/** Entities of a partition whose locations are reported. */
const LOCATED = 8;

export class ShapeNotes {
  readonly #findings: Findings;
  readonly #tallies = GEOMETRY_NOTE_FINDINGS.map(() => new RowTally());
  #located = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** `notes` are bits of GEOMETRY_NOTE; `row`: of the feature that is being drawn. */
  add(notes: number, row: number, line: number, locate: () => Location): void {
    const isLocated = this.#located++ < LOCATED;
    let location: Location | undefined;
    for (let i = 0; i < GEOMETRY_NOTE_FINDINGS.length; i++) {
      const [bit, entry] = GEOMETRY_NOTE_FINDINGS[i];
      if ((notes & bit) === 0) continue;
      const tally = this.#tallies[i];
      if (isLocated || !tally.isFull) location ??= locate();
      if (isLocated && location !== undefined) this.#findings.note(entry, {}, location, 1, row);
      else tally.add(row, 0, line, location?.id);
    }
  }

  /** Reports the notes that were only counted. */
  finish(): void {
    for (const [i, tally] of this.#tallies.entries()) {
      if (tally.count > 0)
        this.#findings.note(GEOMETRY_NOTE_FINDINGS[i][1], {}, undefined, tally.count, tally);
      this.#tallies[i] = new RowTally();
    }
  }
}

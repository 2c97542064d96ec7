/** A division whose parts run before the conversion takes their results, or after it has offered them: without a service between. */
import type { Division, Offer } from '@geomill/pipeline/division/division.ts';

/** Path of the results of a part, by its position in its pass and the path of its tasks; null: this process runs the part. */
export type PassResults = (index: number, tasks: string) => string | null;

export interface PlannedDivisionOptions extends Pick<Division, 'partBytes' | 'partCount' | 'inputPath'> {
  /** Of the passes whose parts ran. */
  readonly passes: readonly PassResults[];
  /** Gets the offer of the pass after them; what it throws ends the conversion. Default: this process runs its parts, and those of later passes. */
  onNext?(offer: Offer): void;
  expect?: Division['expect'];
  decline?: Division['decline'];
}

export function plannedDivision(options: PlannedDivisionOptions): Division {
  const { passes, onNext, ...facts } = options;
  let offered = 0;
  const own: number[] = [];
  let wake = Promise.withResolvers<void>();
  const waiting = new Map<number, PromiseWithResolvers<string>>();
  return {
    ...facts,
    offer(offer) {
      const results = passes[offered++];
      if (results === undefined) onNext?.(offer);
      for (const [i, { tasks }] of offer.parts.entries()) {
        const path = results?.(i, tasks) ?? null;
        // A part that runs here gets no other result.
        if (path === null) own.push(offer.first + i);
        else waiting.get(offer.first + i)?.resolve(path);
      }
      wake.resolve();
    },
    withdraw() {
      own.length = 0;
      waiting.clear();
    },
    async takeOwn() {
      for (;;) {
        const number = own.shift();
        if (number !== undefined) return number;
        wake = Promise.withResolvers();
        await wake.promise;
      }
    },
    result(number) {
      const result = Promise.withResolvers<string>();
      waiting.set(number, result);
      return result.promise;
    },
  };
}

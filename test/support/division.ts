/** Other processes that run parts of a conversion, played in this one. */
import type { Division, Offer } from '../../packages/pipeline/src/division/division.ts';
import { runPart } from '../../packages/pipeline/src/division/run-part.ts';
import { newThreads } from '../../packages/pipeline/src/threads.ts';

export interface PlayedDivision extends Division {
  readonly offers: readonly Offer[];
  /** Number of parts that other processes ran, and the conversion itself. */
  readonly ran: { others: number; own: number };
}

/** Every part whose number `isOwn` is run by the conversion; the others by another process, the last one first. */
export function playDivision(
  inputPath: string,
  isOwn: (number: number) => boolean,
  partBytes = 1,
): PlayedDivision {
  const offers: Offer[] = [];
  const ran = { others: 0, own: 0 };
  const results = new Map<number, PromiseWithResolvers<string>>();
  const resultOf = (number: number): PromiseWithResolvers<string> => {
    const known = results.get(number) ?? Promise.withResolvers<string>();
    results.set(number, known);
    return known;
  };
  const own: number[] = [];
  let wake = Promise.withResolvers<void>();
  const play = async ({ first, session, parts }: Offer): Promise<void> => {
    for (const [i, { tasks }] of [...parts.entries()].reverse()) {
      const number = first + i;
      if (isOwn(number)) continue;
      const result = `${tasks}.result`;
      const order = { session, tasks, result, gridDirectory: null, threads: 1, readableEnd: null, moved: [] };
      await runPart(order, newThreads, () => {});
      ran.others += 1;
      resultOf(number).resolve(result);
    }
  };
  return {
    partBytes,
    inputPath,
    offers,
    ran,
    offer(offer) {
      offers.push(offer);
      for (const i of offer.parts.keys()) if (isOwn(offer.first + i)) own.push(offer.first + i);
      wake.resolve();
      play(offer).catch((error: unknown) => {
        for (const i of offer.parts.keys()) resultOf(offer.first + i).reject(error);
      });
    },
    withdraw() {
      own.length = 0;
    },
    async takeOwn() {
      for (;;) {
        const number = own.shift();
        if (number !== undefined) {
          ran.own += 1;
          return number;
        }
        wake = Promise.withResolvers<void>();
        await wake.promise;
      }
    },
    result: (number) => resultOf(number).promise,
  };
}

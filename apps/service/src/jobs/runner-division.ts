/** The parts of a runner's job, over its channel to the service. */
import type { Division } from '@geomill/pipeline/division/division.ts';
import type { FromRunner, ToRunner } from './runner-messages.ts';

export interface RunnerDivision extends Division {
  receive(message: Extract<ToRunner, { readonly type: 'own' | 'result' }>): void;
}

/** `inputPath`: of the input in the slot. */
export function openDivision(
  partBytes: number,
  inputPath: string,
  send: (message: FromRunner) => void,
): RunnerDivision {
  let own = Promise.withResolvers<number>();
  const results = new Map<number, PromiseWithResolvers<string>>();
  return {
    partBytes,
    inputPath,
    offer: (offer) => send({ type: 'offer', offer }),
    withdraw() {
      results.clear();
      send({ type: 'withdraw' });
    },
    takeOwn() {
      own = Promise.withResolvers<number>();
      send({ type: 'free' });
      return own.promise;
    },
    result(number) {
      const result = Promise.withResolvers<string>();
      results.set(number, result);
      return result.promise;
    },
    receive(message) {
      if (message.type === 'own') own.resolve(message.number);
      else results.get(message.number)?.resolve(message.path);
    },
  };
}

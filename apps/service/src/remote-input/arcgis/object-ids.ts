/** Lists of object ids, sorted, in which an id can occur more than once. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { JsonAnswer } from './json-answer.ts';

/** 8 bytes each; the list of a server is held in memory twice. */
const MAX_IDS = 10_000_000;

export interface IdList {
  /** The field that has them, as the server states it with the list; null: it does not. */
  readonly fieldName: string | null;
  readonly ids: Float64Array;
}

/** The ids in the answer to a query with returnIdsOnly. Throws SERVICE_ANSWER_INVALID and LIMIT_EXCEEDED. */
export function readIds(answer: JsonAnswer, host: string): IdList {
  const name = answer.value('objectIdFieldName');
  const fieldName = typeof name === 'string' && name !== '' ? name : null;
  // Null, or missing with some servers: no feature.
  if (
    answer.range('objectIds') === null &&
    (fieldName !== null || answer.range('objectIdFieldName') !== null)
  )
    return { fieldName, ids: new Float64Array(0) };
  const ids = new IdBuilder(host);
  answer.elements('objectIds', ({ start }) => {
    const id = answer.integer(start);
    if (id === null) throw answer.invalid('an object id is not an integer');
    ids.add(id);
  });
  return { fieldName, ids: ids.sorted() };
}

export class IdBuilder {
  readonly #host: string;
  #ids = new Float64Array(1024);
  #count = 0;

  constructor(host: string) {
    this.#host = host;
  }

  add(id: number): void {
    if (this.#count === MAX_IDS) throw tooMany(this.#host, `more than ${MAX_IDS}`);
    if (this.#count === this.#ids.length) {
      const grown = new Float64Array(Math.min(MAX_IDS, this.#count * 2));
      grown.set(this.#ids);
      this.#ids = grown;
    }
    this.#ids[this.#count++] = id;
  }

  /** The builder is not used afterwards. */
  sorted(): Float64Array {
    return this.#ids.subarray(0, this.#count).sort();
  }
}

/** Throws LIMIT_EXCEEDED for a number of features whose ids cannot be held. */
export function checkCount(count: number, host: string): void {
  if (count > MAX_IDS) throw tooMany(host, String(count));
}

function tooMany(host: string, actual: string): Error {
  return failure(generalErrors.LIMIT_EXCEEDED, {
    what: `the number of features of the layer of '${host}'`,
    actual,
    limit: String(MAX_IDS),
    setting: 'a fixed limit',
  });
}

export interface IdDifference {
  /** In the first list only. */
  readonly missing: readonly number[];
  readonly missingCount: number;
  /** In the second list only, or there more often. */
  readonly added: readonly number[];
  readonly addedCount: number;
}

const MAX_NAMED = 10;

/** What differs between two sorted lists; the first ids are named. */
export function differenceOf(before: Float64Array, after: Float64Array): IdDifference {
  const missing: number[] = [];
  const added: number[] = [];
  let missingCount = 0;
  let addedCount = 0;
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      i++;
      j++;
    } else if (j === after.length || before[i] < after[j]) {
      if (missingCount++ < MAX_NAMED) missing.push(before[i]);
      i++;
    } else {
      if (addedCount++ < MAX_NAMED) added.push(after[j]);
      j++;
    }
  }
  return { missing, missingCount, added, addedCount };
}

import assert from 'node:assert/strict';
import test from 'node:test';
import { failure } from '../../core/src/messages/errors.ts';
import { generalErrors } from '../../core/src/messages/general-errors.ts';
import { csvErrors } from '../../formats/src/csv/messages.ts';
import { type Attempt, attemptAfter, firstAttempt } from '../src/attempts.ts';
import { ExcerptDoubtful, ExcerptTooSmall } from '../src/excerpt.ts';
import { MisfitsFound } from '../src/misfits.ts';

const ofUser = failure(csvErrors.CSV_SYNTAX, { line: 1, reason: 'nonsense' });
const misfits = [{ fileIndex: 0, layerIndex: 0, fields: [] }];

/** What the attempts read until one fails for good, given how each fails. */
function attempts(first: Attempt, errors: readonly unknown[]): (Attempt['reads'] | 'error')[] {
  const reads: (Attempt['reads'] | 'error')[] = [first.reads];
  let attempt: Attempt | null = first;
  for (const error of errors) {
    attempt = attemptAfter(attempt, error, attempt.reads !== 'whole');
    if (attempt === null) return [...reads, 'error'];
    reads.push(attempt.reads);
  }
  return reads;
}

test('a conversion of whole layers has one attempt, and one more without wrong declarations', () => {
  const first = firstAttempt(null);
  assert.deepEqual(first, { reads: 'whole', misfits: null });
  assert.equal(attemptAfter(first, ofUser, false), null);
  const second = attemptAfter(first, new MisfitsFound(misfits), false);
  assert.deepEqual(second, { reads: 'whole', misfits });
  assert.equal(attemptAfter(second as Attempt, new MisfitsFound(misfits), false), null);
});

test('a sample is taken from larger and larger excerpts, then from the whole', () => {
  const first = firstAttempt({ isSampled: true, selects: false });
  const tooSmall = new ExcerptTooSmall(1, 1000);
  assert.deepEqual(attempts(first, [tooSmall, tooSmall, ofUser, ofUser]), [0, 5, 10, 'whole', 'error']);
});

test('a selection that is doubtful is followed by the whole', () => {
  const first = firstAttempt({ isSampled: false, selects: true });
  assert.deepEqual(attempts(first, [new ExcerptDoubtful(), ofUser]), ['selected', 'whole', 'error']);
});

test('a part near a box in which an error is found is followed by the whole', () => {
  const first = firstAttempt({ isSampled: false, selects: false });
  assert.deepEqual(attempts(first, [ofUser]), ['all', 'whole']);
});

test('an excerpt that turned out to be the whole is not tried again', () => {
  assert.equal(attemptAfter({ reads: 'all', misfits: null }, ofUser, false), null);
});

test('a cancellation, and an error of ours, end the conversion at once', () => {
  const first = firstAttempt({ isSampled: true, selects: false });
  for (const error of [
    failure(generalErrors.CANCELLED, {}),
    failure(generalErrors.INTERNAL, { reason: 'a bug' }),
    new TypeError('a bug'),
  ])
    assert.equal(attemptAfter(first, error, true), null);
});

test('a larger excerpt trusts the declarations that a smaller one did not', () => {
  const widened = attemptAfter({ reads: 0, misfits: null }, new MisfitsFound(misfits), true);
  assert.deepEqual(widened, { reads: 0, misfits });
  const larger = attemptAfter(widened as Attempt, new ExcerptTooSmall(10, 20), true);
  assert.deepEqual(larger, { reads: 1, misfits: null });
});

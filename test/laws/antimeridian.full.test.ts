/**
 * The result of every step for data that is turned by some degrees of longitude is the turned result for the data, whether the data is then
 * across 180 degrees or not, and however it is written there. Tolerance: 1e-7 degrees, a centimetre; 2e-3 for buffers, whose arcs have
 * other vertices.
 */
import test from 'node:test';
import { IS_EXHAUSTIVE } from '../support/exhaustive.ts';
import type { Writing } from '../support/turned.ts';
import { holdsWhenTurned, LAW_CASES } from '../support/turned-cases.ts';

const TURNS: readonly (readonly [by: number, writing: Writing])[] = [
  [180, 'jumps'],
  [90, 'jumps'],
  [30, 'jumps'],
  [-137, 'jumps'],
  [-137, 'goes on'],
  [175, 'goes on'],
  [180, 'cut'],
  [-177, 'cut'],
];

/** Each step with three of them, one of every way of writing among those of three steps; all in an exhaustive run. */
let next = 0;
const someTurns = (): typeof TURNS =>
  IS_EXHAUSTIVE ? TURNS : Array.from({ length: 3 }, () => TURNS[(next++ * 3) % TURNS.length]);

for (const [type, cases] of Object.entries(LAW_CASES))
  if (typeof cases !== 'string')
    for (const [i, one] of cases.entries()) {
      const turns = someTurns();
      test(`${type} of turned data is the turned result (${i + 1})`, () =>
        holdsWhenTurned({ ...one, type }, turns));
    }

/**
 * The result of every step for data that is turned by some degrees of longitude is the turned result for the data, whether the data is then
 * across 180 degrees or not, and however it is written there. Tolerance: 1e-7 degrees, a centimetre; 2e-3 for buffers, whose arcs have
 * other vertices.
 */
import test from 'node:test';
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

for (const [type, cases] of Object.entries(LAW_CASES))
  if (typeof cases !== 'string')
    for (const [i, one] of cases.entries())
      test(`${type} of turned data is the turned result (${i + 1})`, () =>
        holdsWhenTurned({ ...one, type }, TURNS));

/** LIKE against a plain reading of its patterns, and the work that it takes at most. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { LikePattern } from '../src/like-pattern.ts';

const encoder = new TextEncoder();

function isLike(pattern: string, text: string): boolean {
  const bytes = encoder.encode(`x${text}x`);
  return new LikePattern(pattern).matches(bytes, 1, bytes.length - 1);
}

/** By a table of all beginnings of both. */
function isLikeByTable(pattern: string, text: string): boolean {
  const tokens = pattern.match(/\\.|./gsu) ?? [];
  const characters = [...text];
  let row = Array.from({ length: characters.length + 1 }, (_, i) => i === 0);
  for (const token of tokens) {
    const next = row.map(() => false);
    const literal = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token;
    for (let i = 0; i < row.length; i++) {
      if (token === '%') next[i] = row[i] || (i > 0 && next[i - 1]);
      else if (i > 0) next[i] = row[i - 1] && (token === '_' || characters[i - 1] === literal);
    }
    row = next;
  }
  return row[characters.length];
}

const textOf = (letters: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { maxLength }).map((parts) => parts.join(''));
const LETTERS = ['a', 'b', 'é', 'ê', '€', '😀'];

test('a pattern matches what a plain reading of it matches', () => {
  const pattern = textOf([...LETTERS, '%', '%', '_', '_', '\\%', '\\_', '\\\\', '\\a'], 12);
  fc.assert(
    fc.property(pattern, textOf([...LETTERS, '%', '_', '\\'], 16), (like, text) => {
      assert.equal(isLike(like, text), isLikeByTable(like, text), `${like} ${text}`);
    }),
    { numRuns: 5000 },
  );
});

test('pieces of more than 32 bytes match as short ones do', () => {
  const text = textOf(['a', 'a', 'a', 'é', '€'], 160);
  fc.assert(
    fc.property(text, fc.nat(159), fc.nat(100), fc.array(fc.nat(100)), (whole, from, count, anyOnes) => {
      const piece = [...whole].slice(from, from + count).map((c, i) => (anyOnes.includes(i) ? '_' : c));
      for (const like of [`%${piece.join('')}%`, `%${piece.join('')}é%`, `${piece.join('')}%a`])
        assert.equal(isLike(like, whole), isLikeByTable(like, whole), `${like} ${whole}`);
    }),
    { numRuns: 1000 },
  );
});

test('a text is read once for each 32 bytes of a piece, however alike the two are', () => {
  for (const [name, patternOf] of [
    ['one letter, then another', (n: number) => `%${'a'.repeat(n)}b%`],
    ['any character between', (n: number) => `%${'a_'.repeat(n / 2)}b%`],
    ['nearly at the end', (n: number) => `%${'a'.repeat(n - 1)}ba%`],
    ['many pieces', (n: number) => '%a'.repeat(n / 2)],
  ] as const) {
    const work = (patternLength: number, textLength: number): number => {
      const pattern = new LikePattern(patternOf(patternLength));
      pattern.matches(new Uint8Array(textLength).fill(0x61), 0, textLength);
      assert.ok(pattern.work <= textLength * (patternLength / 32 + 1), `${name}: ${pattern.work}`);
      return pattern.work;
    };
    const once = work(1000, 20_000);
    assert.ok(work(1000, 40_000) <= 2.1 * once, name);
    assert.ok(work(2000, 20_000) <= 2.1 * once, name);
    work(60_000, 2000);
  }
});

/** Misspelled names are found, and names that mean something else are not. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { closest, didYouMean, editDistance } from '../src/messages/did-you-mean.ts';
import { fillTemplate } from '../src/messages/message.ts';

const COMMANDS = ['convert', 'append', 'merge', 'info', 'serve', 'keys', 'users', 'doctor', 'backup'];

test('letter case, hyphens, plurals and one or two errors are forgiven', () => {
  const cases: readonly (readonly [typed: string, known: readonly string[], meant: string | null])[] = [
    ['NAME', ['id', 'name'], 'name'],
    ['names', ['id', 'name'], 'name'],
    ['city', ['cities'], 'cities'],
    ['to_crs', ['to-crs', 'from-crs'], 'to-crs'],
    ['convrt', COMMANDS, 'convert'],
    ['covnert', COMMANDS, 'convert'],
    ['user', COMMANDS, 'users'],
    ['conv', COMMANDS, 'convert'],
    ['fliter', ['filter', 'explode'], 'filter'],
    ['convert', COMMANDS, null],
    ['crs', COMMANDS, null],
    ['x', ['y'], null],
    ['a', ['ab'], null],
    ['in', ['info', 'inside'], null],
    ['', ['a'], null],
    ['roads'.repeat(100), ['roads'], null],
  ];
  for (const [typed, known, meant] of cases) assert.equal(closest(typed, known), meant, typed);
  assert.equal(didYouMean('nam', ['name']), " (did you mean 'name'?)");
  assert.equal(didYouMean('pop', ['name']), '');
});

test('the distance is that of a metric, and one edit is always found', () => {
  const word = fc.stringMatching(/^[a-z]{6,12}$/);
  fc.assert(
    fc.property(word, word, (a, b) => {
      assert.equal(editDistance(a, a), 0);
      assert.equal(editDistance(a, b), editDistance(b, a));
    }),
  );
  fc.assert(
    fc.property(word, fc.nat(5), fc.stringMatching(/^[a-z]?$/), (name, at, letter) => {
      const typed = name.slice(0, at) + letter + name.slice(at + 1);
      if (typed !== name) assert.equal(closest(typed, ['zone_of_something_else', name]), name);
    }),
  );
});

test('an optional slot of a template may have no parameter', () => {
  assert.equal(
    fillTemplate("no '{field}'{hint?}; known: {known}", { field: 'a', known: 'b' }),
    "no 'a'; known: b",
  );
  assert.equal(fillTemplate('{a}{hint?}', { a: 1, hint: ' (x)' }), '1 (x)');
});

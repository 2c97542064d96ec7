/** Facts of fields as JSON: what is written reads back the same, and text of other programs is no harm. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { factsJson, readFactsJson } from '../src/columns/facts-json.ts';
import type { FieldFacts } from '../src/columns/field-facts.ts';

const FACTS: Readonly<Record<string, FieldFacts>> = {
  nothing: {},
  texts: { alias: 'Äpfel "x"', title: 't', description: 'a\nb', mediaType: 'text/x' },
  rules: { width: 30, notNull: true, unique: true },
  'a text as default': { default: { kind: 'value', value: "it's" } },
  'an empty text as default': { default: { kind: 'value', value: '' } },
  'a number as default': { default: { kind: 'value', value: -1.5e300 } },
  'a large integer as default': { default: { kind: 'value', value: -(2n ** 63n) } },
  'bytes as default': { default: { kind: 'value', value: Uint8Array.of(0, 255, 10) } },
  'the time as default': { default: { kind: 'now', as: 'datetime' } },
  'a call as default': { default: { kind: 'call', name: 'strftime', values: ['%Y', 'now'] } },
  codes: {
    domain: {
      kind: 'coded',
      name: 'kinds',
      description: 'd',
      values: [
        { code: '1', text: 'one' },
        { code: '', text: null },
      ],
    },
  },
  'a range': {
    domain: { kind: 'range', name: 'r', min: '0.1', max: null, minIsInside: false, maxIsInside: true },
  },
  'a pattern': { domain: { kind: 'glob', name: 'g', pattern: '[A-Z]*' } },
};

for (const [what, facts] of Object.entries(FACTS))
  test(`reads ${what} as it was written`, () => {
    assert.deepEqual(readFactsJson(JSON.parse(JSON.stringify(factsJson(facts)))), facts);
  });

const STRANGE: Readonly<Record<string, unknown>> = {
  'no object': [1, 'x', null],
  null: null,
  'other types': { alias: 5, title: [], width: '30', not_null: 'yes', unique: 1 },
  'impossible widths': { width: -1 },
  'a fraction as width': { width: 1.5 },
  'a call of another function': { default: { kind: 'call', name: 'load_extension', values: ['x'] } },
  'a call with a number': { default: { kind: 'call', name: 'date', values: [1] } },
  'a truth value as default': { default: { kind: 'value', value: true } },
  'half a byte': { default: { kind: 'bytes', value: 'abc' } },
  'an integer of text': { default: { kind: 'integer', value: '1; DROP TABLE x' } },
  'a domain without a name': { domain: { kind: 'glob', pattern: '*' } },
  'a domain without codes': { domain: { kind: 'coded', name: 'x', values: [] } },
  'codes that are no texts': { domain: { kind: 'coded', name: 'x', values: [{ code: 1 }, null, 'a'] } },
  'an unknown kind of domain': { domain: { kind: 'other', name: 'x' } },
};

for (const [what, json] of Object.entries(STRANGE))
  test(`reads nothing of ${what}`, () => {
    assert.deepEqual(readFactsJson(json), {});
  });

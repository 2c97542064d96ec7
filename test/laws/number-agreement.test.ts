/** Numbers in the messages of all modules agree with what they count, for one and for several. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { catalogue } from '../../apps/service/src/catalogue.ts';
import { counted, fillTemplate, parameterNames } from '../../packages/core/src/messages/message.ts';

const templates = [...Object.values(catalogue.errors), ...Object.values(catalogue.findings)].map(
  ({ code, template }) => ({ code, template }),
);
const isCounted = (template: string, name: string): boolean => template.includes(`{${name}|`);

/** The message with all counts at this number, and other parameters as words that are no numbers. */
function messageWith(template: string, count: number): string {
  const names = parameterNames(template).map((name) => [name, isCounted(template, name) ? count : 'X']);
  return fillTemplate(template, Object.fromEntries(names) as Record<string, number | string>);
}

/** Verbs that a subject in the same clause has to agree with; "of 1 file" is not a subject. */
const SEVERAL =
  /(?<!of )\b1 [a-z-]+\b(?: (?!and\b|that\b|which\b)[a-z]+){0,2} (?:are|were|have|differ|look|contain|exceed|contradict)\b/;
const ONE =
  /(?<!of )\b7 [a-z-]+\b(?: (?!and\b|that\b|which\b)[a-z]+){0,2} (?:is|was|has|differs|looks|contains|exceeds|contradicts)\b/;

test('no message has a verb of several for one, or of one for several', () => {
  const wrong = templates.flatMap(({ code, template }) => {
    const found = [SEVERAL.exec(messageWith(template, 1)), ONE.exec(messageWith(template, 7))];
    return found.flatMap((match) => (match === null ? [] : [`${code}: ${match[0]}`]));
  });
  assert.deepEqual(wrong, []);
});

/** Parameters that are not numbers everywhere, and never one. */
const NOT_COUNTED = ['SERVICE_INCOMPLETE: {count} features', 'TOPOJSON_QUANTIZED: {count} points'];

test('a parameter that is followed by its plural is written as a count', () => {
  // "{lines} lines" would be "1 lines".
  const wrong = templates.flatMap(({ code, template }) =>
    [
      ...template.matchAll(
        /\{(\w*(?:count|number|files|lines|fields|features|records|rows|layers|parts))\} (?!is\b|was\b)(\w+s)\b/gi,
      ),
    ].map(([text]) => `${code}: ${text}`),
  );
  assert.deepEqual(wrong.sort(), NOT_COUNTED);
});

test('the unit of a finding has a plural that is a word', () => {
  for (const { code, unit } of Object.values(catalogue.findings)) {
    assert.match(counted(1, unit), /^1 [a-z]+$/, code);
    assert.match(counted(2, unit), /^2 [a-z]+(?:ies|[^aeiou]es|[^s]s)$/, code);
  }
});

test('nouns of all endings have their plural', () => {
  assert.deepEqual(
    ['feature', 'loss', 'box', 'entry', 'child'].map((noun) => counted(2, noun)),
    ['2 features', '2 losses', '2 boxes', '2 entries', '2 childs'],
  );
  assert.equal(fillTemplate('{count|child|children}', { count: 2 }), '2 children');
});

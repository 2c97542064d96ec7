/** Where a JSON text is wrong: judged by Python, which states line and column of every error, and by JSON.parse. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import fc from 'fast-check';
import { assertLittleGrowth } from '../../../test/support/growth.ts';
import { MAX_DEPTH } from '../src/text/json-ends.ts';
import { JsonTextError, jsonSyntaxError, parseJsonText } from '../src/text/json-syntax.ts';

const PYTHON = '/usr/bin/python3';
const SCRIPT = `
import json, sys
found = []
for text in json.load(sys.stdin):
    try:
        json.loads(text)
        found.append(None)
    except json.JSONDecodeError as error:
        found.append([error.pos, error.lineno, error.colno])
print(json.dumps(found))`;
const hasPython = spawnSync(PYTHON, ['-c', 'import json']).status === 0;

const encoder = new TextEncoder();

function errorOf(text: string): JsonTextError | null {
  try {
    parseJsonText(encoder.encode(text));
    return null;
  } catch (error) {
    assert.ok(error instanceof JsonTextError, String(error));
    return error;
  }
}

/** JSON with line ends of Windows, characters of 1 to 4 bytes, and escapes. */
const jsonText = fc
  .tuple(
    fc.jsonValue({ maxDepth: 4, noUnicodeString: false }),
    fc.constantFrom('', ' ', '  ', '\t'),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )
  .map(([value, indent, lineEnd, escaped]) => {
    const text = JSON.stringify({ ä: value, '日😀': [value, 1.5e-3, true, null] }, null, indent);
    const lines = text.replaceAll('\n', lineEnd);
    return escaped
      ? lines.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : lines;
  });

const damage = fc.oneof(
  fc.constantFrom(
    '"',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '\\',
    '\n',
    '\0',
    '0',
    '-',
    '.',
    'e',
    'x',
    'ä',
    '😀',
    "'",
    '//',
  ),
  fc.constant(''),
);

/** One place cut, overwritten or added to. */
const damagedText = fc
  .tuple(jsonText, fc.nat(), damage, fc.nat({ max: 2 }), fc.boolean())
  .map(([text, place, instead, removed, isCut]) => {
    const characters = [...text];
    const at = place % (characters.length + 1);
    if (isCut) return characters.slice(0, at).join('');
    characters.splice(at, removed, instead);
    return characters.join('');
  });

test('a damaged text has its error where Python reports it', {
  skip: hasPython ? false : 'python3 is not installed',
}, () => {
  // Python accepts the first two, and reports a complete escape at the end of the text as incomplete.
  const texts = fc
    .sample(damagedText, { numRuns: 4000, seed: 20261122 })
    .filter((text) => !/NaN|Infinity|\\u[\da-f]{4}$/i.test(text));
  const { stdout, stderr } = spawnSync(PYTHON, ['-c', SCRIPT], {
    input: JSON.stringify(texts),
    maxBuffer: 1 << 26,
  });
  assert.equal(stderr.toString(), '');
  const judged = JSON.parse(stdout.toString()) as ([number, number, number] | null)[];
  let damaged = 0;
  for (const [i, text] of texts.entries()) {
    const verdict = judged[i];
    const error = errorOf(text);
    if (verdict === null) {
      assert.equal(error, null, JSON.stringify(text));
      continue;
    }
    damaged++;
    const [, line, column] = verdict;
    assert.ok(error !== null, JSON.stringify(text));
    // Python reports an incomplete \u escape one character later.
    const isUnicodeEscape = error.reason.startsWith("'\\u");
    const { position } = error;
    assert.deepEqual(
      [position.line, position.column + (isUnicodeEscape ? 1 : 0)],
      [line, column],
      `${JSON.stringify(text)}: ${error.message}`,
    );
  }
  assert.ok(damaged > 2000, `only ${damaged} texts were damaged`);
});

test('the errors are those of JSON.parse, and each has a place within the text', () => {
  fc.assert(
    fc.property(fc.oneof(damagedText, fc.string({ unit: 'grapheme' })), (text) => {
      let accepted = true;
      try {
        JSON.parse(text.replace(/^\ufeff/, ''));
      } catch {
        accepted = false;
      }
      const error = errorOf(text.toWellFormed());
      assert.equal(error === null, accepted);
      if (error === null) return;
      const lines = text
        .toWellFormed()
        .replace(/^\ufeff/, '')
        .split('\n');
      const { line, column } = error.position;
      assert.ok(line >= 1 && line <= lines.length);
      assert.ok(column >= 1 && column <= [...lines[line - 1]].length + 1, error.message);
      assert.match(error.reason, /\S/);
    }),
    { numRuns: 3000 },
  );
});

test('a text before its error can be completed', () => {
  // Cut at the place of the error, the text is no longer wrong there, but only incomplete.
  fc.assert(
    fc.property(damagedText, (text) => {
      const bytes = encoder.encode(text);
      const error = jsonSyntaxError(bytes);
      fc.pre(error !== null && !/^'|begins here/.test(error.reason));
      const { offset = 0 } = error ?? {};
      const before = jsonSyntaxError(bytes.subarray(0, offset));
      const isIncomplete = before === null || before.offset === offset || /begins here/.test(before.reason);
      assert.ok(isIncomplete, `${JSON.stringify(text)} ${before?.reason}`);
    }),
    { numRuns: 1000 },
  );
});

test('the message says what was expected, what was found and what to do', () => {
  const cases = {
    '': 'line 1, column 1: expected a value but the text is empty',
    '\r\n ': 'line 2, column 2: expected a value but the text is empty',
    '{"a": 1,\r\n  "ä": [1, 2,]\r\n}':
      "line 2, column 14: expected a value but found ']'; remove the comma before it",
    '{"a": 1,\n}':
      "line 2, column 1: expected the name of a member in double quotes but found '}'; remove the comma before it",
    '{"a": 1\n "b": 2}': "line 2, column 2: expected ',' or '}' but found '\"'",
    '{"😀": x1}': "line 1, column 7: expected a value but found 'x1'",
    "{'a': 1}": `line 1, column 2: expected the name of a member in double quotes or '}' but found '''; texts of JSON are in double quotes`,
    '{"a": True}': "line 1, column 7: expected a value but found 'True'; JSON has true, false and null",
    '{"a": 007}': "line 1, column 8: '007' is no number of JSON",
    '{"a": 1.}': "line 1, column 8: '1.' is no number of JSON",
    '[nullify]': "line 1, column 6: 'nullify' is no value of JSON",
    '{"a": "b\n"}': 'line 1, column 9: expected the closing quote of a string but found the end of the line',
    '{"a": "b}': 'line 1, column 7: the string that begins here has no closing quote',
    '["C:\\data"]': "line 1, column 5: '\\d' is not an escape of JSON; write a backslash as '\\\\'",
    '{"a": 1} // done':
      "line 1, column 10: expected the end of the value but found '/'; JSON has no comments",
    '{"a" 1}': "line 1, column 6: expected ':' but found '1'",
    '{"a": NaN}': "line 1, column 7: expected a value but found 'NaN'; JSON has finite numbers only",
    '{"a": [1': "line 1, column 9: expected ',' or ']' but the text ends",
    '\ufeff{"a"; 1}': "line 1, column 5: expected ':' but found ';'",
  };
  for (const [text, message] of Object.entries(cases)) assert.equal(errorOf(text)?.message, message);
});

test('bytes that are no UTF-8 are an error with its place, if no other is before it', () => {
  const latin1 = Buffer.from('{"a": 1,\n "Stra\xdfe": 2}', 'latin1');
  assert.throws(() => parseJsonText(latin1), {
    message: 'line 2, column 7: byte 0xdf is not valid UTF-8',
  });
  assert.throws(() => parseJsonText(Buffer.from('{"a" 1, "\xdf": 2}', 'latin1')), /column 6: expected ':'/);
});

test('depth and time are bounded', async () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  assert.equal(errorOf(nested(MAX_DEPTH)), null);
  assert.equal(
    errorOf(nested(MAX_DEPTH + 1))?.message,
    `line 1, column ${MAX_DEPTH + 1}: arrays and objects are nested deeper than ${MAX_DEPTH} levels`,
  );
  const parsing = (count: number) => () => {
    assert.match(String(errorOf('['.repeat(2 * count))?.message), /nested deeper/);
    const message = new RegExp(`column ${2 * count + 2}: .*remove the comma`);
    assert.match(String(errorOf(`[${'1,'.repeat(count)}]`)?.message), message);
  };
  await assertLittleGrowth('elements', [parsing(2 << 16), parsing(2 << 18)]);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { splitBody } from '../../../test/support/split-body.ts';
import type { JsonBodyLimits } from '../src/http/json-body/body-parts.ts';
import { configLimits } from '../src/http/json-body/config-limits.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The body whole and byte by byte must fail alike; `message` is a part of the sentence. */
function assertRefused(
  body: string | Uint8Array,
  code: string,
  message: string,
  limits?: Partial<JsonBodyLimits>,
): void {
  const bytes = typeof body === 'string' ? bytesOf(body) : body;
  for (const chunkLength of [bytes.length + 1, 1, 3])
    assert.throws(
      () => splitBody(bytes, chunkLength, limits),
      (error) => {
        assert.ok(error instanceof GeomillError, String(error));
        assert.equal(error.code, code);
        assert.ok(error.message.includes(message), error.message);
        assert.equal(error.fault, 'user');
        return true;
      },
      `${body} in chunks of ${chunkLength}`,
    );
}

function assertSplit(
  body: string | Uint8Array,
  documents: Readonly<Record<string, string>>,
  config: unknown,
): void {
  const bytes = typeof body === 'string' ? bytesOf(body) : body;
  for (const chunkLength of [bytes.length, 1, 2, 7]) {
    const split = splitBody(bytes, chunkLength);
    assert.deepEqual(Object.fromEntries(split.documents), documents);
    assert.deepEqual(split.config, config);
  }
}

test('the documents of an append come apart from its config, to the byte', () => {
  assertSplit(
    ` {"output_format" : "shp", "append_geojson_list": [ {"a": [1, {}]} ,{ } ],\r\n\t"target_geojson":{"b":"}"} , "to_file":true}\n`,
    {
      'append_geojson_list[0]': '{"a": [1, {}]}',
      'append_geojson_list[1]': '{ }',
      target_geojson: '{"b":"}"}',
    },
    { output_format: 'shp', to_file: true },
  );
});

test('a body without documents, or without anything, is all config', () => {
  assertSplit('{}', {}, {});
  assertSplit(
    '{"a":1,"b":-2.5e3 ,"c":[{"d":null}],"e":null}',
    {},
    { a: 1, b: -2500, c: [{ d: null }], e: null },
  );
});

test('quotes and brackets in strings are text, however they are escaped', () => {
  const document = String.raw`{"a\"}": "\\", "b": "\\\"]{", "c": "\u0022}", "d\\": "ß→😀]"}`;
  assertSplit(
    `{"input_geojson":${document},"a\\"b":"\\\\\\"{"}`,
    { input_geojson: document },
    { 'a"b': String.raw`\"{` },
  );
});

test('a name is what it says, not how it is written', () => {
  assertSplit(String.raw`{"input\u005fgeojson":{}}`, { input_geojson: '{}' }, {});
});

test('a byte order mark is skipped', () => {
  assertSplit('\ufeff{"input_geojson":{"ü":1}}', { input_geojson: '{"ü":1}' }, {});
  assertRefused(
    Uint8Array.of(0xef, 0xbb, 0x7b, 0x7d),
    'BODY_NOT_JSON',
    "byte order mark of UTF-8 but found '{'",
  );
  assertRefused(' \ufeff{}', 'BODY_NOT_JSON', 'found byte 0xef');
  assertRefused(Uint8Array.of(0xff, 0xfe, 0x7b, 0), 'BODY_NOT_JSON', 'in UTF-8) but found byte 0xff');
});

test('null stands for an absent document or list, and an empty list is told from it', () => {
  const absent = splitBody(bytesOf('{"input_geojson":null,"append_geojson_list":null}'), 4);
  assert.equal(absent.documents.size, 0);
  assert.equal(absent.documentCounts.size, 0);
  assert.deepEqual(absent.config, {});
  const empty = splitBody(bytesOf('{"input_geojson":{},"append_geojson_list":[ ]}'), 4);
  assert.deepEqual(
    [...empty.documentCounts],
    [
      ['input_geojson', 1],
      ['append_geojson_list', 0],
    ],
  );
  assertRefused('{"input_geojson":nul}', 'BODY_NOT_JSON', "the value of 'input_geojson' is not valid JSON");
});

test('a member named __proto__ is a member', () => {
  const { config } = splitBody(bytesOf('{"__proto__":{"to_file":true}}'), 5);
  assert.deepEqual(Object.keys(config), ['__proto__']);
  assert.equal(config.to_file, undefined);
});

test('what is no document is refused by its path and kind', () => {
  const kinds = {
    '"{}"': 'a string',
    '12': 'a number',
    '-1': 'a number',
    true: 'a boolean',
    false: 'a boolean',
  };
  for (const [value, kind] of [...Object.entries(kinds), ['[{}]', 'an array']])
    assertRefused(
      `{"input_geojson": ${value}}`,
      'BODY_MEMBER_INVALID',
      `'input_geojson' in the body must be a JSON object, not ${kind}`,
    );
  for (const [value, kind] of [...Object.entries(kinds), ['[{}]', 'an array'], ['null', 'null']])
    assertRefused(
      `{"append_geojson_list": [{}, {}, {}, ${value}]}`,
      'BODY_MEMBER_INVALID',
      `'append_geojson_list[3]' in the body must be a JSON object, not ${kind}`,
    );
  for (const [value, kind] of [...Object.entries(kinds), ['{}', 'an object']])
    assertRefused(
      `{"append_geojson_list": ${value}}`,
      'BODY_MEMBER_INVALID',
      `'append_geojson_list' in the body must be a list of JSON objects, not ${kind}`,
    );
});

test('a member that comes twice is refused, since which one is meant cannot be known', () => {
  for (const value of ['{}', 'null'])
    assertRefused(
      `{"input_geojson":${value},"input_ge\\u006fjson":{}}`,
      'BODY_MEMBER_INVALID',
      "'input_geojson' in the body came more than once",
    );
  assertRefused('{"a":1,"a":1}', 'BODY_MEMBER_INVALID', "'a' in the body came more than once");
});

test('what is not JSON is refused with its byte', () => {
  const cases = {
    '[{}]':
      "line 1, column 1 (byte 0): expected '{' (the body must be a JSON object, in UTF-8) but found '['",
    'config=1': "line 1, column 1 (byte 0): expected '{'",
    '{a:1}': "line 1, column 2 (byte 1): expected the name of a member in quotes but found 'a'",
    '{,}': "line 1, column 2 (byte 1): expected the name of a member in quotes but found ','",
    '{"a":1,}': "line 1, column 8 (byte 7): expected the name of a member in quotes but found '}'",
    '{"a" 1}': "line 1, column 6 (byte 5): expected ':' but found '1'",
    '{"a":}': "line 1, column 6 (byte 5): expected a value but found '}'",
    '{"a":"b" "c":1}': "line 1, column 10 (byte 9): expected ',' or '}' but found '\"'",
    '{"a":1 2}': "line 1, column 8 (byte 7): expected ',' or '}' but found '2'",
    '{"a":1} {}': "line 1, column 9 (byte 8): expected the end of the body but found '{'",
    '{"a":1}\0': 'line 1, column 8 (byte 7): expected the end of the body but found byte 0x00',
    '{"input_geojson":{"a":[1}}': "line 1, column 25 (byte 24): expected ']' but found '}'",
    '{"input_geojson":{]}': "line 1, column 19 (byte 18): expected '}' but found ']'",
    '{"input_geojson":?}': "line 1, column 18 (byte 17): expected a value but found '?'",
    '{"append_geojson_list":[{},]}': "line 1, column 28 (byte 27): expected a value but found ']'",
    '{"append_geojson_list":[,{}]}': "line 1, column 25 (byte 24): expected a value but found ','",
    '{"append_geojson_list":[{}}': "line 1, column 27 (byte 26): expected ',' or ']' but found '}'",
    '{"append_geojson_list":[{}]]': "line 1, column 28 (byte 27): expected ',' or '}' but found ']'",
    '{"ab":1,"c":truth}': "line 1, column 13 (byte 12): the value of 'c' is not valid JSON",
    '{"c":[1,]}':
      "line 1, column 9 (byte 8): the value of 'c' is not valid JSON: expected a value but found ']'",
    '{"c":"a\nb"}': "line 1, column 8 (byte 7): the value of 'c' is not valid JSON",
    '{"\\x":1}': 'line 1, column 3 (byte 2): the name of a member is not valid JSON',
  };
  for (const [body, message] of Object.entries(cases)) assertRefused(body, 'BODY_NOT_JSON', message);
  assertRefused(
    Uint8Array.of(0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xe4, 0x22, 0x7d),
    'BODY_NOT_JSON',
    "line 1, column 7 (byte 6): the value of 'a' is not valid JSON: byte 0xe4 is not valid UTF-8",
  );
});

test('a body that ends early is refused with where it was', () => {
  const cases = {
    '': 'it is empty',
    ' ': "at byte 1, before its closing '}'",
    '{"a': "at byte 3, before its closing '}'",
    '{"a":1,': "at byte 7, before its closing '}'",
    '{"a":1': "at byte 6, within 'a'",
    '{"a":1 ': "at byte 7, behind 'a'",
    '{"a":"\\': "at byte 7, within 'a'",
    '{"input_geojson":{"type":"': "at byte 26, within 'input_geojson'",
    '{"append_geojson_list":[{},{': "at byte 28, within 'append_geojson_list[1]'",
    '{"append_geojson_list":[{},': "at byte 27, within 'append_geojson_list'",
    '{"append_geojson_list":[{}': "at byte 26, within 'append_geojson_list'",
  };
  for (const [body, message] of Object.entries(cases)) assertRefused(body, 'BODY_TRUNCATED', message);
});

test('what is kept in memory has a limit, and documents do not count to it', () => {
  const document = `{"a":"${'x'.repeat(500)}"}`;
  const limits = { config: configLimits({ maxConfigBytes: 30, maxFiles: 1000 }) };
  // 15 and 3 bytes of names and 12 of a value; the white space is not kept.
  const fitting = splitBody(bytesOf(`{"input_geojson":${document},  "b"  :  [1,"234567"]}`), 5, limits);
  assert.deepEqual(fitting.config, { b: [1, '234567'] });
  const values = ['"12345678901"', '1234567890123', '[1,2,3,4,5,6]', '[[[[[[[[[[[[[[['];
  for (const value of values)
    assertRefused(
      `{"input_geojson":${document},"b":${value}}`,
      'LIMIT_EXCEEDED',
      'the body without its documents is more than 30 bytes; the limit is 30 bytes (MAX_CONFIG)',
      limits,
    );
  assertRefused(`{"${'n'.repeat(29)}":1}`, 'LIMIT_EXCEEDED', 'MAX_CONFIG', limits);
  assertRefused(`{"${'n'.repeat(28)}":1}`, 'LIMIT_EXCEEDED', 'MAX_CONFIG', limits);
  assertRefused(`{"${'n'.repeat(28)}":""}`, 'LIMIT_EXCEEDED', 'MAX_CONFIG', limits);
  assert.deepEqual(splitBody(bytesOf(`{"${'n'.repeat(27)}":1}`), 4, limits).config, { ['n'.repeat(27)]: 1 });
});

test('the number of documents has a limit', () => {
  const limits = { maxDocuments: 3, maxDocumentsSetting: 'a fixed limit' };
  const list = (count: number): string => Array.from({ length: count }, () => '{}').join();
  const body = (count: number): string => `{"input_geojson":{},"append_geojson_list":[${list(count)}]}`;
  assert.equal(splitBody(bytesOf(body(2)), 6, limits).documents.size, 3);
  assertRefused(
    body(3),
    'LIMIT_EXCEEDED',
    'the number of documents in the body is more than 3; the limit is 3 (a fixed limit)',
    limits,
  );
});

test('nesting has a limit, in documents and in the config', () => {
  for (const name of ['input_geojson', 'transformations']) {
    const nested = (depth: number): string =>
      `{"${name}":{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}}`;
    splitBody(bytesOf(nested(512)), 100);
    assertRefused(nested(513), 'BODY_NOT_JSON', 'nested deeper than 512 levels');
  }
});

/** What holds for any JSON body, however it is cut, ended early or damaged. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { byteOrderMarkLength, positionAfter } from '../../../packages/core/src/text/text-position.ts';
import { anyText } from '../../../test/support/any-text.ts';
import { BODY_MEMBERS, type SplitBody, splitBody } from '../../../test/support/split-body.ts';
import { configLimits } from '../src/http/json-body/config-limits.ts';
import { JsonBodySplitter } from '../src/http/json-body/split.ts';

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const chunkLengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
const text = fc.oneof(anyText(12), fc.stringMatching(/^["\\[\]{}:,äß]{0,12}$/));

/** A string as JSON: some characters escaped that need not be. */
const stringText = fc.tuple(text, fc.nat()).map(([value, escaped]) => {
  const characters = [...value].map((character, i) =>
    character.length === 1 && ((escaped >> (i % 16)) & 1) === 1
      ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
      : JSON.stringify(character).slice(1, -1),
  );
  return `"${characters.join('')}"`;
});

/** JSON texts with white space wherever it may stand. */
const { value: jsonText, object: objectText } = fc.letrec<{ value: string; object: string; array: string }>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('null', 'true', 'false', '0', '-1.5e-3', '12345678901234567890'),
      stringText,
      tie('array'),
      tie('object'),
    ),
    array: fc
      .tuple(fc.array(tie('value'), { maxLength: 4 }), space)
      .map(([values, gap]) => `[${gap}${values.join(`${gap},`)}${gap}]`),
    object: fc
      .tuple(fc.array(fc.tuple(stringText, tie('value')), { maxLength: 4 }), space)
      .map(([members, gap]) => `{${gap}${members.map(([n, v]) => `${n}${gap}:${v}`).join(`,${gap}`)}${gap}}`),
  }),
);

const documentMember = fc
  .tuple(
    fc.constantFrom(...BODY_MEMBERS.documents),
    fc.oneof({ weight: 5, arbitrary: objectText }, fc.constant('null')),
  )
  .map(([name, value]) => [JSON.stringify(name), value]);
const listMember = fc
  .tuple(fc.constantFrom(...BODY_MEMBERS.documentLists), fc.array(objectText, { maxLength: 3 }), space)
  .map(([name, values, gap]) => [JSON.stringify(name), `[${gap}${values.join(`${gap},`)}${gap}]`]);
const configMember = fc.tuple(stringText, jsonText);
const bodyText = fc
  .tuple(
    fc.constantFrom('', '\ufeff'),
    fc.uniqueArray(fc.oneof(documentMember, listMember, configMember), {
      maxLength: 6,
      selector: ([name]) => JSON.parse(name),
    }),
    space,
  )
  .map(([mark, members, gap]) => {
    const inner = members.map(([name, value]) => `${gap}${name}${gap}:${gap}${value}${gap}`).join(',');
    return `${mark}${gap}{${inner || gap}}${gap}`;
  });

function outcome(
  body: Uint8Array,
  lengths: number | readonly number[],
): SplitBody | { readonly message: string } {
  try {
    return splitBody(body, lengths, {
      config: configLimits({ maxConfigBytes: 200, maxFiles: 1000 }),
      maxDocuments: 4,
    });
  } catch (error) {
    if (!(error instanceof GeomillError) || error.fault !== 'user') throw error;
    return { message: `${error.code} ${error.message}` };
  }
}

test('documents and config are what JSON.parse finds in the whole body', () => {
  fc.assert(
    fc.property(bodyText, chunkLengths, (body, lengths) => {
      // After an object whose key is one escaped character V8 (Node 26) can read another such key as the same ("\\\\" and "\\"",
      // "\\\\" and "\\u0000"): JSON.parse is no judge of these.
      fc.pre(!/"\\(?:["\\/bfnrt]|u[\da-fA-F]{4})"\s*:/.test(body));
      const expected = JSON.parse(body.replace(/^\ufeff/, '')) as Record<string, unknown>;
      const { documents, documentCounts, config } = splitBody(Buffer.from(body), lengths);
      const found: [string, unknown][] = Object.entries(config);
      for (const [name, count] of documentCounts) {
        const paths = BODY_MEMBERS.documents.includes(name)
          ? [name]
          : Array.from({ length: count }, (_, i) => `${name}[${i}]`);
        const values = paths.map((path) => JSON.parse(documents.get(path)!) as unknown);
        found.push([name, BODY_MEMBERS.documents.includes(name) ? values[0] : values]);
      }
      const all = [...BODY_MEMBERS.documents, ...BODY_MEMBERS.documentLists];
      const isAbsent = ([name, value]: [string, unknown]) => value === null && all.includes(name);
      assert.deepEqual(
        new Map(found),
        new Map(Object.entries(expected).filter((member) => !isAbsent(member))),
      );
      assert.equal(
        documents.size,
        [...documentCounts.values()].reduce((sum, count) => sum + count, 0),
      );
      for (const document of documents.values()) assert.ok(body.includes(document));
    }),
    { numRuns: 1000 },
  );
});

test('a body that ends anywhere before its last brace is an error', () => {
  fc.assert(
    fc.property(bodyText, chunkLengths, (body, lengths) => {
      const bytes = Buffer.from(body);
      for (let length = 0; length <= bytes.lastIndexOf('}'); length++)
        assert.throws(
          () => splitBody(bytes.subarray(0, length), lengths),
          (error) => error instanceof GeomillError && error.code === 'BODY_TRUNCATED',
        );
    }),
    { numRuns: 40 },
  );
});

test('how a body is cut changes nothing, be it good, damaged or too large', () => {
  const damages = fc.array(
    fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}[]",:\\n0 ')))),
    {
      maxLength: 2,
    },
  );
  let good = 0;
  fc.assert(
    fc.property(bodyText, damages, chunkLengths, (body, changes, lengths) => {
      const bytes = Buffer.from(body);
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
      const whole = outcome(bytes, bytes.length);
      assert.deepEqual(outcome(bytes, 1), whole);
      assert.deepEqual(outcome(bytes, lengths), whole);
      if (!('message' in whole)) good++;
    }),
    { numRuns: 1000 },
  );
  assert.ok(good > 100 && good < 900, `${good} of 1000 bodies were good`);
});

test('what JSON.parse refuses outside of the documents is refused here too', () => {
  // Every byte of a body replaced by every byte that means something in JSON, and by some that mean nothing.
  const body = Buffer.from(
    '{"input_geojson":{"a":"\\"b"},"append_geojson_list":[{"c":[1]},{}],"d":[{"e":"f"}],"g":-1.5,"\\u0068":null}',
  );
  const bytes = [...Buffer.from('{}[]",:\\ \n0-.eEntu'), 0, 0x1f, 0x7f, 0x80, 0xc3, 0xff];
  const inDocuments = [...body.toString().matchAll(/\{"a.*?\}|\{"c.*?\}|\{\}/g)].map(
    ({ index, 0: { length } }) => ({
      first: index,
      last: index + length - 1,
    }),
  );
  for (let at = 0; at < body.length; at++)
    for (const byte of bytes) {
      const damaged = Buffer.from(body);
      damaged[at] = byte;
      const result = outcome(damaged, 9);
      const isInDocument = inDocuments.some(({ first, last }) => at > first && at < last);
      if ('message' in result || isInDocument) continue;
      const utf8 = new TextDecoder('utf-8', { fatal: true }).decode(damaged);
      assert.doesNotThrow(() => JSON.parse(utf8), `byte ${at} as ${byte}: ${utf8}`);
    }
});

test('after an error nothing is given out any more', () => {
  const limits = {
    config: configLimits({ maxConfigBytes: 100, maxFiles: 1000 }),
    maxDocuments: 1,
    maxDocumentsSetting: 'a fixed limit',
  };
  const splitter = new JsonBodySplitter(BODY_MEMBERS, limits);
  const isRefused = (error: unknown) => error instanceof GeomillError && error.code === 'BODY_NOT_JSON';
  assert.throws(() => splitter.push(Buffer.from('{"input_geojson":{]')), isRefused);
  assert.throws(() => splitter.push(Buffer.from('}}')), isRefused);
  assert.throws(() => splitter.finish(), isRefused);
});

test('a body that is not JSON has line and column of its byte, however it is cut', () => {
  fc.assert(
    fc.property(
      bodyText,
      fc.nat(),
      fc.constantFrom('', '"', ',', ']', '}', 'x\n', '\r\nä'),
      chunkLengths,
      (body, place, instead, lengths) => {
        const at = place % body.length;
        const bytes = Buffer.from((body.slice(0, at) + instead + body.slice(at + 1)).toWellFormed());
        let error: unknown;
        try {
          splitBody(bytes, lengths);
        } catch (thrown) {
          error = thrown;
        }
        fc.pre(error instanceof GeomillError && error.code === 'BODY_NOT_JSON');
        const { location, message } = error as GeomillError;
        const mark = byteOrderMarkLength(bytes);
        const before = bytes.subarray(mark, location?.offset);
        const { line, column } = positionAfter(before);
        assert.deepEqual(location, { line, column, offset: location?.offset });
        assert.ok(
          message.includes(`at line ${line}, column ${column} (byte ${location?.offset}): `),
          message,
        );
      },
    ),
    { numRuns: 1000 },
  );
});

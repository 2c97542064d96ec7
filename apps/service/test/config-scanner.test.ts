/** A config before it is parsed: its limits, and the large parameters that are lifted out of it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { failure, GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { jsonSyntaxError } from '../../../packages/core/src/text/json-syntax.ts';
import { positionAfter } from '../../../packages/core/src/text/text-position.ts';
import { StepFile } from '../../../packages/operations/src/requested-steps.ts';
import { httpErrors } from '../src/http/errors.ts';
import type { JsonBodyPiece } from '../src/http/json-body/body-parts.ts';
import { ConfigCounts, type ConfigLimits, configLimits } from '../src/http/json-body/config-limits.ts';
import { ConfigScanner } from '../src/http/json-body/config-scanner.ts';
import { ConfigText, type SyntaxFailure } from '../src/http/json-body/config-text.ts';

const NAMES = new Set(['clipping_geojson', 'erasing_geojson']);

interface Scanned {
  /** With the lifted values in their places again. */
  readonly config: unknown;
  /** Text of what was lifted, by its path. */
  readonly lifted: ReadonlyMap<string, string>;
}

const notJson: SyntaxFailure = ({ line, column, offset }, reason) =>
  failure(
    httpErrors.CONFIG_NOT_JSON,
    { part: 'config', line, column, reason: `(byte ${offset}) ${reason}` },
    { line, column, offset },
  );

function scan(
  bytes: Uint8Array,
  chunkLengths: readonly number[],
  limits: Partial<ConfigLimits> = {},
): Scanned {
  const all = { ...configLimits({ maxConfigBytes: 100_000, maxFiles: 1000 }), ...limits };
  const text = new ConfigText(all.maxBytes);
  const scanner = new ConfigScanner(text, new ConfigCounts("part 'config'", all), NAMES, notJson);
  const lifted = new Map<string, string>();
  let path: string | null = null;
  let content: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const chunk = new Uint8Array(bytes.subarray(at, at + chunkLengths[turn % chunkLengths.length]));
    const pieces: JsonBodyPiece[] = [];
    for (let i = 0; i < chunk.length; ) i = scanner.scan(chunk, i, chunk.length, pieces);
    for (const piece of pieces) {
      if (piece.kind === 'begin-step-file') {
        assert.equal(path, null);
        path = piece.path;
        content = [];
      } else if (piece.kind === 'bytes') content.push(Buffer.from(piece.bytes));
      else {
        assert.equal(piece.kind, 'end');
        lifted.set(path!, Buffer.concat(content).toString());
        path = null;
      }
    }
    at += chunk.length;
    chunk.fill(0x7e);
  }
  scanner.end();
  const config: unknown = text.parse(notJson);
  assert.ok(scanner.restore(config), 'each one is found again');
  const resolved = JSON.stringify(config, (_, value: unknown) =>
    value instanceof StepFile ? (JSON.parse(lifted.get(value.input)!) as unknown) : value,
  );
  return { config: JSON.parse(resolved), lifted };
}

function refusalOf(text: string, limits: Partial<ConfigLimits> = {}): string {
  const messages = [[text.length], [1], [7, 3]].map((lengths) => {
    try {
      scan(Buffer.from(text), lengths, limits);
      return 'taken';
    } catch (error) {
      if (!(error instanceof GeomillError)) throw error;
      return `${error.code}: ${error.message}`;
    }
  });
  assert.equal(new Set(messages).size, 1, messages.join('\n'));
  return messages[0];
}

const name = fc.constantFrom(
  'clipping_geojson',
  'erasing_geojson',
  'params',
  'type',
  'transformations',
  'x"y',
  'é',
);
const key = fc
  .tuple(name, fc.boolean())
  .map(([text, escaped]) =>
    escaped
      ? `"\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}${JSON.stringify(text).slice(JSON.stringify(text)[1] === '\\' ? 3 : 2)}`
      : JSON.stringify(text),
  );
const space = fc.constantFrom('', '', ' ', '\n\t');
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'null',
      'true',
      '-1.5e-3',
      '"a"',
      '"}{][,:\\\\"',
      '"clipping_geojson"',
      '{"type":"Polygon","coordinates":[[[0,0]]]}',
    ),
    fc
      .tuple(fc.array(tie('value'), { maxLength: 4 }), space)
      .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}]`),
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 4, selector: ([k]) => JSON.parse(k) }),
        space,
      )
      .map(
        ([members, gap]) =>
          `{${gap}${members.map(([k, v]) => `${k}${gap}:${gap}${v}`).join(`,${gap}`)}${gap}}`,
      ),
  ),
}));
/** Mostly what a config looks like. */
const step = fc
  .tuple(value, value, space)
  .map(
    ([a, b, gap]) =>
      `{"type":"clip",${gap}"clipping_geojson"${gap}:${gap}${a},"params":{"erasing_geojson":${b}}}`,
  );
const config = fc.oneof(
  value,
  fc
    .array(step, { maxLength: 4 })
    .map((steps) => `{"output_format":"shp","transformations":[${steps}],"z":[]}`),
);
const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 });

test('what is kept and what is lifted is the whole config, wherever it is cut', () => {
  let lifted = 0;
  fc.assert(
    fc.property(config, lengths, fc.constantFrom(0, 8, 30), (text, chunkLengths, maxInlineFile) => {
      const scanned = scan(Buffer.from(text), chunkLengths, { maxInlineFile });
      assert.deepEqual(scanned.config, JSON.parse(text));
      for (const part of scanned.lifted.values()) {
        assert.ok(text.includes(part));
        assert.ok(Buffer.byteLength(part) > maxInlineFile);
      }
      lifted += scanned.lifted.size;
    }),
    { numRuns: 2000 },
  );
  assert.ok(lifted > 500, `${lifted} were lifted`);
});

test('parameters are lifted from the places where steps have them, and from no other', () => {
  const polygon = '{"type":"Polygon"}';
  const { lifted } = scan(
    Buffer.from(`{
      "clipping_geojson": ${polygon}, "input": {"clipping_geojson": ${polygon}},
      "transformations": [
        {"clipping_geojson": ${polygon}, "type": "clip"},
        {"type": "clip", "params": {"x": [{"clipping_geojson": ${polygon}}], "clipping_geojson": ${polygon}}},
        [{"clipping_geojson": ${polygon}}],
        {"type": "clip", "params": [{"clipping_geojson": ${polygon}}], "other": {"clipping_geojson": ${polygon}}},
        {"type": "erase", "params": {"erasing\\u005fgeojson": ${polygon}, "by": "clipping_geojson"}}
      ]}`),
    [5],
    { maxInlineFile: 0 },
  );
  assert.deepEqual(
    [...lifted.keys()],
    [
      'transformations[0].clipping_geojson',
      'transformations[1].params.clipping_geojson',
      'transformations[4].params.erasing_geojson',
    ],
  );
});

test('small ones stay until there are too many', () => {
  const polygon = `{"type":"Polygon","x":"${'x'.repeat(70)}"}`;
  const steps = Array(5).fill(`{"type":"clip","clipping_geojson":${polygon}}`);
  const text = Buffer.from(`{"transformations":[${steps}]}`);
  const limits = { maxInlineFile: 100, maxInlineFiles: 3 * polygon.length + 5 };
  assert.deepEqual(
    [...scan(text, [11], limits).lifted.keys()],
    [3, 4].map((i) => `transformations[${i}].clipping_geojson`),
  );
});

test('lifted bytes count to no limit of the config', () => {
  const large = `{"coordinates":[${'[1,2],'.repeat(50_000)}[1,2]]}`;
  const text = `{"transformations":[{"type":"clip","clipping_geojson":${large}}]}`;
  const { lifted } = scan(Buffer.from(text), [65_536], { maxBytes: 100, maxElements: 5, maxMembers: 5 });
  assert.equal(lifted.get('transformations[0].clipping_geojson'), large);
});

test('a parameter that comes again after it was lifted is noticed', () => {
  const text = '{"transformations":[{"clipping_geojson":{"a":1},"clipping_geojson":{"b":2}}]}';
  assert.throws(() => scan(Buffer.from(text), [9], { maxInlineFile: 2 }), /each one is found again/);
});

test('each limit is told with what was found and what sets it', () => {
  const nested = (n: number) => `{"a":${'['.repeat(n)}${']'.repeat(n)}}`;
  assert.equal(refusalOf(nested(511)), 'taken');
  assert.match(
    refusalOf(nested(512)),
    /^CONFIG_NOT_JSON: .*column 517: .byte 516. arrays and objects are nested deeper than 512 levels/,
  );
  assert.match(refusalOf('['.repeat(2_600_000 / 100)), /nested deeper than 512 levels/);
  const mask = (n: number) =>
    `{"transformations":[{"clipping_geojson":{"a":${'['.repeat(n)}1${']'.repeat(n)}}}]}`;
  assert.equal(refusalOf(mask(511)), 'taken');
  assert.match(refusalOf(mask(512)), /nested deeper than 512 levels/);
  assert.match(refusalOf(mask(512), { maxInlineFile: 10 }), /nested deeper than 512 levels/);

  const members = (n: number) => `{${Array.from({ length: n }, (_, i) => `"k${i}":1`)}}`;
  assert.equal(refusalOf(members(50), { maxMembers: 50 }), 'taken');
  assert.equal(
    refusalOf(members(51), { maxMembers: 50 }),
    "LIMIT_EXCEEDED: the number of members in part 'config' is more than 50; the limit is 50 (a fixed limit)",
  );
  const elements = (n: number) => `{"a":[${Array(n).fill('1')}]}`;
  assert.equal(refusalOf(elements(50), { maxElements: 50 }), 'taken');
  assert.match(
    refusalOf(elements(51), { maxElements: 50 }),
    /the number of list elements in part 'config' is more than 50/,
  );
  assert.match(refusalOf(`[${Array(51).fill('[]')}]`, { maxElements: 50 }), /list elements/);

  const bytes = (n: number) => `{"a":"${'x'.repeat(n - 8)}"}`;
  assert.equal(refusalOf(bytes(200), { maxBytes: 200 }), 'taken');
  assert.match(
    refusalOf(bytes(201), { maxBytes: 200 }),
    /^LIMIT_EXCEEDED: part 'config' is more than 200 bytes.*MAX_CONFIG/,
  );
  assert.match(refusalOf('{"a":[}'), /column 7: .* or '\]' but found '\}'/);
});

test('a syntax error has line and column of the source, also after masks that were extracted', () => {
  const mask = '{"type":\r\n"Polygon", "name": "日😀ä"}';
  const steps = `{"ä": "\n", "transformations":[{"type":"clip",\n"clipping_geojson":${mask}},{"clipping_geojson":${mask},"ß":1}],\r\n"b": [1, 2]}`;
  const valid = steps.replace('"\n"', '"x"');
  const damages = fc.record({
    at: fc.nat({ max: valid.length - 1 }),
    instead: fc.constantFrom('', '"', ',', ']', '}', 'x', '\n'),
    maxInlineFile: fc.constantFrom(0, 10, 1000),
    lengths: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
  });
  fc.assert(
    fc.property(damages, ({ at, instead, maxInlineFile, lengths }) => {
      const text = valid.slice(0, at) + instead + valid.slice(at + 1);
      const bytes = Buffer.from(text.toWellFormed());
      const expected = jsonSyntaxError(bytes);
      fc.pre(expected !== null);
      const { offset = 0 } = expected ?? {};
      let found: unknown;
      try {
        scan(bytes, lengths, { maxInlineFile });
      } catch (error) {
        found = error;
      }
      // Within an extracted mask only the brackets are checked; its reader finds the rest.
      const isInMask = [...text.matchAll(/"clipping_geojson":/g)].some(
        ({ index }) => offset > Buffer.byteLength(text.slice(0, index)),
      );
      if (isInMask && maxInlineFile < 1000) {
        if (!(found instanceof GeomillError)) return;
        const { offset: reported = 0 } = found.location ?? {};
        assert.ok(reported >= offset, 'not before the damage');
        const { line, column } = positionAfter(bytes.subarray(0, reported));
        assert.deepEqual(found.location, { line, column, offset: reported });
        return;
      }
      assert.ok(found instanceof GeomillError, text);
      assert.deepEqual(found.location, positionAfter(bytes.subarray(0, offset)), text);
    }),
    { numRuns: 2000 },
  );
});

/** The law: no text of user data makes an error, a finding, a report or a log line longer than its stated bound. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { catalogue } from '../../../apps/service/src/catalogue.ts';
import { problemOf } from '../../../apps/service/src/http/error-reply.ts';
import { errorText } from '../../../apps/service/src/jobs/job.ts';
import { checkRunnerMessage } from '../../../apps/service/src/jobs/runner-message-check.ts';
import { createLogger, MAX_LINE_BYTES } from '../../../apps/service/src/logger.ts';
import { anyText } from '../../../test/support/any-text.ts';
import { IS_EXHAUSTIVE } from '../../../test/support/exhaustive.ts';
import { asGeomillError, GeomillError, type Location, reviveError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import {
  field,
  type MessageParam,
  type MessageParams,
  parameterNames,
  phrase,
} from '../../core/src/messages/message.ts';
import { jsonBytes, listed, listWithin, MAX_QUOTED, shortText } from '../../core/src/messages/short-text.ts';
import { formatFindings } from '../../formats/src/findings.ts';
import { boundedReport, MAX_REPORT_BYTES } from '../src/bounded-report.ts';
import type { ConversionReport } from '../src/report.ts';
import { reportDocument } from '../src/report-document.ts';
import type { ConversionRequest } from '../src/request.ts';

const MAX_ERROR_BODY_BYTES = 16 * 1024;

/** Texts whose length, or whose form in JSON or UTF-8, is the worst there is. */
const HOSTILE_TEXTS = ['x', '\u0000', '\u001b', '"', '\\', '\ud83d', '\u{1f5fa}', '€', '\n', "' "].map(
  (unit) => unit.repeat(60_000),
);

/** Three of them for each entry of a catalogue, in turn; all in an exhaustive run. */
let turn = 0;
const someTexts = (): readonly string[] =>
  IS_EXHAUSTIVE
    ? HOSTILE_TEXTS
    : Array.from({ length: 3 }, () => HOSTILE_TEXTS[turn++ % HOSTILE_TEXTS.length]);

function locationOf(text: string): Location {
  return { file: text, layer: text, record: 1, line: 2, offset: 3, id: text, field: text };
}

/** The parameters of a template, each one the value: as it is, as a field, as phrases that refer to it. */
function paramsOf(template: string, value: string | number): MessageParams[] {
  const one = field(String(value));
  const many = Array(30).fill(field(String(value).slice(0, 3000)));
  const forms: MessageParam[] = [[], value, one, phrase`${String(value)} and ${one}`, many];
  return forms.map((form) => Object.fromEntries(parameterNames(template).map((name) => [name, form])));
}

test('every error is bounded, in a body, in a record and across a process', () => {
  for (const [code, entry] of Object.entries(catalogue.errors))
    for (const text of someTexts()) {
      const { template } = entry;
      for (const params of paramsOf(template, text)) {
        const error = new GeomillError(entry, params, locationOf(text));
        const revived = reviveError(JSON.parse(JSON.stringify(error.toPlain())), catalogue);
        assert.deepEqual(revived.toPlain(), error.toPlain(), code);
        assert.equal(revived.message, error.message);
        assert.ok(error.message.isWellFormed());
        const record = { code, message: errorText('id', error.toPlain()), place: error.location };
        for (const told of [problemOf(error), record, error.toPlain()])
          assert.ok(jsonBytes(told) <= MAX_ERROR_BODY_BYTES, `${code}: ${jsonBytes(told)}`);
        const late = problemOf(error, errorText('id', error.toPlain()));
        assert.ok(jsonBytes(late) <= MAX_ERROR_BODY_BYTES, `${code}: ${jsonBytes(late)}`);
        assert.equal(checkRunnerMessage({ type: 'failed', error: plain(error.toPlain()), log: null }), null);
      }
    }
});

test('an error of a foreign library is bounded too', () => {
  const error = asGeomillError(new RangeError('y'.repeat(5_000_000)));
  assert.ok(jsonBytes(error.toPlain()) <= MAX_ERROR_BODY_BYTES);
});

test('every finding is bounded, and long parameters that are equal are one finding', () => {
  for (const [code, entry] of Object.entries(catalogue.findings)) {
    const { template, isSingle } = entry;
    const hostile = [...someTexts(), Number.NaN, Number.POSITIVE_INFINITY];
    for (const params of hostile.flatMap((value) => paramsOf(template, value))) {
      const findings = new Findings();
      for (let i = 0; i < 9; i++) findings.note(entry, params as never, locationOf(HOSTILE_TEXTS[0]));
      const list = findings.list();
      assert.equal(list.length, 1);
      assert.equal(list[0].count, isSingle === true ? 1 : 9);
      assert.ok(jsonBytes(list[0]) <= 40_000, `${code}: ${jsonBytes(list[0])}`);
      const merged = new Findings();
      merged.merge(findings.noted());
      assert.deepEqual(merged.list(), list);
      const report = { warnings: plain(list), timings: { totalMs: 1 } };
      assert.equal(checkRunnerMessage({ type: 'done', report }), null, code);
    }
  }
});

test('a short text is as long as it may be, tells its length, and stays as it is', () => {
  const text = fc.oneof(
    anyText(),
    anyText().map((unit) => unit.repeat(60)),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 40, max: 300 }), (long, limit) => {
      const short = shortText(long, limit);
      assert.ok(short.length <= limit);
      assert.ok(short.isWellFormed());
      assert.equal(shortText(short, limit), short);
      assert.ok(jsonBytes(short) <= 3 * limit + 2);
      if (long.length > limit) assert.match(short, /… \([\d,]+ characters\)$/);
    }),
  );
  assert.match(shortText('z'.repeat(7_800_000)), /z… \(7,800,000 characters\)$/);
  assert.equal(shortText('z'.repeat(MAX_QUOTED)), 'z'.repeat(MAX_QUOTED));
});

test('a list of names tells how many it leaves out', () => {
  const names = Array.from({ length: 113 }, (_, i) => `n${i}`);
  assert.match(listed(names), /^n0, n1, .*, n19 and 93 others$/);
  assert.equal(listed(names.slice(0, 2)), 'n0, n1');
  assert.match(listed(names.slice(0, 21)), / and 1 other$/);
  assert.ok(listed(HOSTILE_TEXTS).length < 1000);
});

const requestOf = (transformations: ConversionRequest['transformations']): ConversionRequest => ({
  operation: 'transform',
  input: { format: 'csv', files: [{ crs: null, crsPath: 'input.epsg' }], layers: null, options: {} },
  transformations,
  output: { format: 'shp', crs: null, toFile: true, options: {} },
});

const name = fc.oneof(fc.string(), fc.constantFrom(...HOSTILE_TEXTS));
const size = fc.constantFrom(0, 1, 50, 2000);

const hostileReport: fc.Arbitrary<ConversionReport> = fc
  .record({
    name,
    files: size,
    fields: size,
    layers: fc.constantFrom(0, 1, 40),
    renamed: size,
    warnings: size,
  })
  .map((made) => {
    const { name: text } = made;
    const findings = new Findings();
    for (let i = 0; i < made.warnings; i++)
      findings.note(
        formatFindings.FIELD_DROPPED,
        { field: `${i}${text}`, layer: text, reason: text },
        locationOf(text),
      );
    const times = <T>(length: number, entry: T): T[] => Array.from({ length }, () => entry);
    const renamed = { layer: shortText(text), from: shortText(text), to: 'a' };
    return {
      input: {
        format: 'csv',
        name: text,
        files: times(made.files, { name: text, features: 1 }),
        layers: times(made.layers, {
          name: text,
          file: text,
          features: 1,
          crs: text,
          crsName: text,
          encoding: text,
          fields: times(made.fields, { name: text, type: 'string' }),
        }),
      },
      output: {
        format: 'shp',
        crs: text,
        mediaType: 'application/zip',
        byteLength: 1,
        layers: times(made.layers, { name: text, features: 1 }),
      },
      steps: times(Math.min(100, made.files), {
        type: 'filter',
        crs: times(3, shortText(text)),
        featuresIn: 1,
        featuresOut: 0,
        dropped: [{ reason: 'FILTERED', features: 1 }],
        merged: 0,
        generated: 0,
        seconds: 0.001,
      }),
      features: { read: 1, written: 1, dropped: 0, repaired: 0, split: 0 },
      fields: { renamed: times(made.renamed, renamed), retyped: [], dropped: [] },
      reprojections: times(made.layers, {
        layer: text,
        from: text,
        to: text,
        operation: text,
        accuracyMeters: null,
        ballpark: false,
        gridsUsed: times(made.layers, text),
        gridsMissing: [],
        outsideAreaOfUse: 0,
      }),
      warnings: findings.list(),
      timings: { totalMs: 1 },
    };
  });

test('a report of any lists and names is bounded, tells what is missing, and is a valid message', () => {
  fc.assert(
    fc.property(hostileReport, (report) => {
      const bounded = boundedReport(report) as ConversionReport;
      assert.ok(jsonBytes(bounded) <= MAX_REPORT_BYTES);
      const steps = (report.steps ?? []).map(({ type }) => ({ type, params: { where: 'a'.repeat(900) } }));
      const document = reportDocument(bounded, requestOf(steps), catalogue);
      assert.ok(jsonBytes(document) <= MAX_REPORT_BYTES, String(jsonBytes(document)));
      assert.deepEqual(boundedReport(bounded), bounded);
      assert.equal(checkRunnerMessage({ type: 'done', report: plain(bounded) }), null);
      const { totals = {}, input } = bounded;
      assert.equal(totals.warnings ?? bounded.warnings.length, report.warnings.length);
      assert.equal(totals.files ?? input.files.length, report.input.files.length);
      assert.equal(totals.layers ?? input.layers.length, report.input.layers.length);
      assert.equal(totals.fieldsRenamed ?? bounded.fields.renamed.length, report.fields.renamed.length);
      for (const [i, layer] of input.layers.entries())
        assert.equal(layer.fieldCount ?? layer.fields.length, report.input.layers[i].fields.length);
    }),
    { numRuns: 12 },
  );
});

test('a list within bytes is the longest that fits', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.nat(300), (list, bytes) => {
      const kept = listWithin(list, bytes);
      assert.deepEqual(kept, list.slice(0, kept.length));
      assert.ok(kept.length === 0 || jsonBytes(kept) <= bytes + 1);
      if (kept.length < list.length) assert.ok(jsonBytes(list.slice(0, kept.length + 1)) > bytes);
    }),
  );
});

test('what is no message of a runner is refused with a short reason, and never with an exception', () => {
  const wrong = fc.oneof(
    fc.anything(),
    fc.record({ type: fc.constantFrom('done', 'failed', 'progress', 'loaded'), more: fc.jsonValue() }),
    fc.record({ type: fc.constant('done'), report: fc.jsonValue() }),
    fc.record({
      type: fc.constant('failed'),
      error: fc.record({ code: fc.string(), params: fc.jsonValue() }),
      log: fc.constant(null),
    }),
  );
  fc.assert(
    fc.property(wrong, (message) => {
      const fault = checkRunnerMessage(message);
      assert.ok(fault !== null && fault.length > 0 && fault.length < 400);
    }),
  );
  const error = { code: 'CSV_SYNTAX', params: { line: 1, reason: 'r' } };
  for (const params of [{ a: 'x'.repeat(2001) }, { __proto__: null, 'a b': 1 }, { a: [] }, [], null])
    assert.match(
      checkRunnerMessage({ type: 'failed', error: { ...error, params }, log: null }) ?? '',
      /params/,
    );
  assert.match(checkRunnerMessage({ type: 'failed', error, log: 'x'.repeat(10_000) }) ?? '', /log/);
});

test('whatever is logged, a line is JSON of at most 8 KiB', () => {
  const lines: string[] = [];
  const log = createLogger('info', { process: 'p', role: 'all' }, { write: (line) => lines.push(line) });
  const deep: unknown[] = [];
  for (const text of HOSTILE_TEXTS) {
    log.info({ text, more: { texts: Array.from({ length: 50 }, () => text.slice(0, 10_000)) } }, text);
    log.error({ err: new Error(text, { cause: new Error(text) }) }, 'failed');
    log.warn({ [text]: 1, numbers: Array.from({ length: 5000 }, (_, i) => i) }, 'keys and numbers');
    deep.push({ text: text.slice(0, 900) });
  }
  log.warn({ deep }, 'many texts that are short each');
  log.info('short');
  assert.equal(lines.length, 3 * HOSTILE_TEXTS.length + 2);
  for (const line of lines) {
    assert.ok(Buffer.byteLength(line) <= MAX_LINE_BYTES);
    assert.ok(line.endsWith('\n') && line.indexOf('\n') === line.length - 1);
    const { level, time, msg } = JSON.parse(line) as Record<string, unknown>;
    assert.ok([30, 40, 50].includes(level as number) && typeof time === 'number' && typeof msg === 'string');
  }
});

function plain<T>(value: T): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Filters by values read only the pages of a GeoPackage that have such features, and keep the same features as a full scan. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import fc from 'fast-check';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { IS_EXHAUSTIVE } from '../../../test/support/exhaustive.ts';
import { MANY, writeGeojson } from '../../../test/support/large-files.ts';
import type { WantedValues } from '../../core/src/columns/wanted-values.ts';
import { parseExpression } from '../../expressions/src/parse.ts';
import { wantedValuesOf } from '../../expressions/src/wanted-values.ts';
import { transformations } from '../src/registry.ts';
import { parseSteps } from '../src/requested-steps.ts';

const CODE = 'READ_WITH_VALUES';

async function filter(path: string, where: unknown, more: readonly object[] = []) {
  using workspace = makeWorkspace();
  const steps = parseSteps([{ type: 'filter', where }, ...more], 'transformations', transformations);
  const options = { from: 'gpkg', to: 'geojson', transformations: steps } as const;
  const { report, outputPath } = await convertFile(path, workspace.path, options);
  return {
    output: readFileSync(outputPath, 'utf8'),
    read: report.features.read,
    isNarrowed: report.warnings.some(({ code }) => code === CODE),
  };
}

/** Each condition takes a second or two: every third one runs, all in an exhaustive run. */
const someOf = <Condition>(conditions: readonly Condition[]): readonly Condition[] =>
  IS_EXHAUSTIVE ? conditions : conditions.filter((_, i) => i % 3 === 0);

/** The condition in a form that is not compared by SQLite. */
const whole = (where: string): string => `not (not (${where}))`;

/** A GeoPackage with fields of all types, and values that are rare, absent, null, and look alike. */
async function makeTable(directory: string): Promise<string> {
  const path = join(directory, 'in.geojson');
  const texts = ['a', 'A', 'a ', 'ä', 'a\u0308', '7', '7.0', '', '\u{1F600}', '2020-01-31', 'null'];
  writeGeojson(path, (i) => {
    const rare = i % 1000;
    const text = rare < texts.length ? texts[rare] : `other ${i}`;
    const values = {
      text: rare === 500 ? null : text,
      whole: rare === 600 ? null : rare,
      big: i % 2 === 0 ? 2 ** 40 + rare : 2 ** 40 - i,
      real: rare === 700 ? null : rare / 4,
      flag: rare === 0,
      day: rare < 3 ? `2020-01-0${rare + 1}` : null,
    };
    return `,${JSON.stringify(values).slice(1, -1)}`;
  });
  const options = { from: 'geojson', to: 'gpkg', layerName: 'rows' } as const;
  return (await convertFile(path, directory, options)).outputPath;
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  for (const name of ['IsEmpty', 'MinX', 'MaxX', 'MinY', 'MaxY'])
    database.function(`ST_${name}`, { varargs: true }, () => 0);
  database.exec(sql);
  database.close();
}

test('of a large GeoPackage only pages with the values are read, with the same output as all of them', async () => {
  using workspace = makeWorkspace();
  const path = await makeTable(workspace.path);
  const narrowed = [
    "text = 'a'",
    "'a' = text",
    "text in ('A', 'ä', '\u{1F600}')",
    "text = 'a\u0308'",
    "text = ''",
    "text = '7'",
    "text in ('a', null)",
    'whole = 7',
    'whole = 7.5',
    'real in (0, 0.25)',
    'big = 9007199254740993',
    "text = '2020-01-31' and not (day is null) and flag = false",
    'row() > 0 and whole = 7',
  ];
  for (const where of someOf(narrowed)) {
    const [found, expected] = [await filter(path, where), await filter(path, whole(where))];
    assert.ok(found.output === expected.output, where); // megabytes, which no message should show
    assert.equal(expected.read, MANY, where);
    // Numbers of features are known only after all before them.
    assert.equal(found.isNarrowed, !where.includes('row()'), where);
    if (found.isNarrowed) assert.ok(found.read < MANY / 20, `${where}: ${found.read}`);
  }
  const readWhole = [
    "text = 'a' or whole = 7",
    "not (text = 'a')",
    'text = text',
    'flag = true',
    "day = '2020-01-01'",
    "text = '\uFFFD'",
    "whole = '7'",
    "big in (1099511627779, '1099511627781')",
  ];
  for (const where of someOf(readWhole)) {
    const found = await filter(path, where);
    assert.ok(!found.isNarrowed && found.read === MANY, where);
  }
});

test('keeps the same features of columns with a collation, other values than declared, and without order', async () => {
  using workspace = makeWorkspace();
  const path = await makeTable(workspace.path);
  const collated =
    "CASE WHEN whole % 50 = 1 THEN 'x' WHEN whole % 50 = 2 THEN 'X' WHEN whole % 50 = 3 THEN 'x ' END";
  change(
    path,
    `ALTER TABLE rows ADD COLUMN low TEXT COLLATE NOCASE; ALTER TABLE rows ADD COLUMN trimmed TEXT COLLATE RTRIM;
     UPDATE rows SET low = ${collated}, trimmed = ${collated}; CREATE INDEX low_index ON rows(low);`,
  );
  for (const where of someOf(["low = 'x'", "low in ('X')", "trimmed = 'x'", "trimmed = 'x '"])) {
    const [found, expected] = [await filter(path, where), await filter(path, whole(where))];
    assert.ok(found.output === expected.output, where); // megabytes, which no message should show
    assert.ok(JSON.parse(found.output).features.length > 500, where);
    assert.ok(found.isNarrowed, where);
  }
  const contradictions = {
    "text = 'a'": "UPDATE rows SET text = x'61' WHERE n = 40000",
    'whole = 7': "UPDATE rows SET whole = 'seven' WHERE n = 50000",
    'whole = 8': 'UPDATE rows SET whole = 5000000000 WHERE n = 60000',
    'real = 1.75': 'UPDATE rows SET real = 9007199254740993 WHERE n = 60001',
  };
  for (const [where, sql] of someOf(Object.entries(contradictions))) {
    // Of other fields than that of the filter, only values that are read change the type.
    const changed = join(workspace.path, 'changed.gpkg');
    copyFileSync(path, changed);
    change(changed, sql);
    const outcome = (condition: string) => filter(changed, condition).then(({ output }) => output, String);
    // The place is that in the longer condition.
    const unquoted = (text: string): string => text.replace(/ \(at character \d+\)/, '');
    assert.ok(unquoted(await outcome(where)) === unquoted(await outcome(whole(where))), where);
  }
});

test('takes from a condition only values that every kept feature has', () => {
  const literal = fc.oneof(
    fc.constantFrom("'a'", "'b'", '1', '2', '-3.5'),
    fc.integer({ min: 0, max: 9 }).map(String),
  );
  const field = fc.constantFrom('f', 'g', 'h');
  const comparison = fc.constantFrom('=', '<>', '<', '<=', '>', '>=');
  const { condition } = fc.letrec<{ condition: string }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.tuple(field, comparison, literal).map((parts) => parts.join(' ')),
      fc.tuple(literal, comparison, field).map((parts) => parts.join(' ')),
      fc.tuple(field, literal, literal).map(([f, least, most]) => `${f} between ${least} and ${most}`),
      fc
        .tuple(field, fc.array(literal, { minLength: 1, maxLength: 3 }))
        .map(([f, l]) => `${f} in (${l.join(', ')})`),
      tie('condition').map((one) => `not (${one})`),
      fc
        .tuple(tie('condition'), fc.constantFrom('and', 'or'), tie('condition'))
        .map(([a, op, b]) => `(${a}) ${op} (${b})`),
    ),
  }));
  const values = fc.constantFrom<string | number | null>('a', 'b', 1, 2, -3.5, 0, null);
  fc.assert(
    fc.property(condition, fc.record({ f: values, g: values, h: values }), (text, row) => {
      const verdict = verdictOf(parseExpression(text, 'where'), row);
      const hasAll = wantedValuesOf(parseExpression(text, 'where')).every((wanted) =>
        isWanted(wanted, row[wanted.field as keyof typeof row]),
      );
      return hasAll || verdict !== true;
    }),
    { numRuns: 2000 },
  );
});

/** A value of another kind than the ends of a range is not in an order with them, and the condition is not true. */
function isWanted(wanted: WantedValues, own: string | number | null): boolean {
  if ('values' in wanted) return wanted.values.includes(own as never);
  const [least, most] = wanted.range as [string | null, string | null];
  return (least === null || (own as string) >= least) && (most === null || (own as string) <= most);
}

type Row = Readonly<Record<string, string | number | null>>;

/** Three-valued logic by the book: null is unknown. Values of other kinds are not equal. */
function verdictOf(expression: ReturnType<typeof parseExpression>, row: Row): boolean | null {
  if (expression.kind !== 'call') throw new Error(`unexpected ${expression.kind}`);
  const { name, args } = expression;
  if (name === 'and' || name === 'or' || name === 'not') {
    const verdicts = args.map((arg) => verdictOf(arg, row));
    if (name === 'not') return verdicts[0] === null ? null : !verdicts[0];
    const decisive = name === 'or';
    return verdicts.includes(decisive) ? decisive : verdicts.includes(null) ? null : !decisive;
  }
  const [own, ...others] = args.map((arg) => operandOf(arg, row));
  if (own === null || others[0] === null) return null;
  if (name === 'between') return own >= (others[0] as typeof own) && own <= (others[1] as typeof own);
  if (name === 'in') return others.includes(own);
  if (name === '=') return own === others[0];
  const other = others[0] as typeof own;
  if (name === '<>') return own !== other;
  return name === '<'
    ? own < other
    : name === '<='
      ? own <= other
      : name === '>'
        ? own > other
        : own >= other;
}

function operandOf(expression: ReturnType<typeof parseExpression>, row: Row): string | number | null {
  if (expression.kind === 'literal') return expression.value as string | number;
  if (expression.kind === 'field') return row[expression.name];
  // A negative number.
  if (expression.kind === 'call') return -(operandOf(expression.args.at(-1)!, row) as number);
  throw new Error(`unexpected ${expression.kind}`);
}

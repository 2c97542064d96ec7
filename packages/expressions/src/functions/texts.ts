/** Functions on texts. Positions and lengths count characters (code points) from 1. */
import type { AttributeColumn, BytesColumn } from '@geomill/core/columns/attribute-column.ts';
import { type Literal, MAX_MADE_LENGTH } from '../expression.ts';
import { type ExpressionFunction, type Parameter, rowByRow } from '../function.ts';
import type { Evaluation, Node, ValueKind } from '../node.ts';
import { converted } from './numbers.ts';

const text: Parameter = { name: 'text', kind: 'text' };
const TOO_LONG = 'a text that is too long';
/** Maximum characters of a text that is searched for: a search can take the product of both lengths. */
const MAX_SEARCHED_LENGTH = 1000;

function textFunction<Values extends readonly Literal[]>(
  name: string,
  parameters: readonly Parameter[],
  description: string,
  compute: (...values: Values) => Literal | null,
  kind: Exclude<ValueKind, 'null'> = 'text',
): ExpressionFunction {
  return {
    name,
    group: 'text',
    parameters,
    description,
    compile: (args, { place }) => rowByRow<Values>(kind, args, place, compute, TOO_LONG),
  };
}

/** Changes each text; `changeByte` does the same for ASCII, without making texts. */
function mapped(arg: Node, change: (text: string) => string, changeByte: (byte: number) => number): Node {
  const column = (evaluation: Evaluation): AttributeColumn => {
    const source = arg.column(evaluation) as BytesColumn;
    if (source.bytes.some((byte) => byte >= 0x80)) {
      const computed = { ...arg, column: () => source };
      return rowByRow<[string]>('text', [computed], arg.place, change).column(evaluation);
    }
    return {
      type: 'string',
      bytes: source.bytes.map(changeByte),
      offsets: source.offsets,
      validity: source.validity,
    };
  };
  return { kind: 'text', place: arg.place, column };
}

function mapping(
  name: string,
  description: string,
  change: (text: string) => string,
  changeByte: (byte: number) => number,
): ExpressionFunction {
  return {
    name,
    group: 'text',
    parameters: [text],
    description,
    compile: ([arg]) => mapped(arg, change, changeByte),
  };
}

const lowerByte = (byte: number) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);
const upperByte = (byte: number) => (byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte);

function substring(value: string, start: number, count: number = Number.POSITIVE_INFINITY): string {
  const characters = [...value];
  const from = Math.trunc(Number(start)) - 1;
  // As in SQL, positions before the text count.
  const end = from + Math.max(0, Math.trunc(Number(count)));
  return characters.slice(Math.max(0, from), Math.max(0, end)).join('');
}

function padded(value: string, length: number, fill: string, atStart: boolean): string | null {
  const characters = [...value];
  const wanted = Math.trunc(Number(length));
  if (wanted > MAX_MADE_LENGTH) return null;
  if (characters.length >= wanted) return characters.slice(0, Math.max(0, wanted)).join('');
  const units = [...fill];
  if (units.length === 0) return value;
  const count = wanted - characters.length;
  const padding = fill.repeat(count / units.length) + units.slice(0, count % units.length).join('');
  return atStart ? padding + value : value + padding;
}

function replaced(value: string, from: string, to: string): string | null {
  if (from === '') return value;
  if (from.length > MAX_SEARCHED_LENGTH) return null;
  const parts = value.split(from);
  const length = value.length + (parts.length - 1) * (to.length - from.length);
  return length > MAX_MADE_LENGTH ? null : parts.join(to);
}

/** Letters with a stroke, which Unicode does not decompose. */
const STROKED: Readonly<Record<string, string>> = {
  Ø: 'O', ø: 'o', Ł: 'L', ł: 'l', Đ: 'D', đ: 'd', Ħ: 'H', ħ: 'h', Ŧ: 'T', ŧ: 't',
}; // biome-ignore format: pairs of letters

export function withoutAccents(value: string): string {
  return value
    .normalize('NFD')
    .replace(/\p{Mn}+/gu, '')
    .replace(/[ØøŁłĐđĦħŦŧ]/g, (letter) => STROKED[letter])
    .normalize('NFC');
}

/** Full case folding of Unicode: texts that differ only in letter case become equal. */
export function caseFolded(value: string): string {
  // The dotless i folds to itself, but has the upper case of another letter.
  return value
    .split('ı')
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ'))
    .join('ı');
}

export const textFunctions: readonly ExpressionFunction[] = [
  mapping('lower', 'The text in lower case.', (value) => value.toLowerCase(), lowerByte),
  mapping('upper', 'The text in upper case.', (value) => value.toUpperCase(), upperByte),
  mapping(
    'casei',
    "The text in lower case, for comparisons that ignore letter case: `casei(name) = casei('Bonn')`. `ß` becomes `ss`, as full case folding of Unicode requires.",
    caseFolded,
    lowerByte,
  ),
  mapping(
    'accenti',
    "The text without accents, for comparisons that ignore them: `accenti(name) = accenti('Zürich')` also finds 'Zurich'. Strokes are accents, too: `ø` becomes `o`.",
    withoutAccents,
    (byte) => byte,
  ),
  textFunction<[string]>(
    'initcap',
    [text],
    'The text with the first letter of each word in upper case, and its other letters in lower case.',
    (value) => value.toLowerCase().replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase()),
  ),
  textFunction<[string]>('trim', [text], 'Without blanks at both ends.', (value) => value.trim()),
  textFunction<[string]>(
    'char_length',
    [text],
    'The number of characters.',
    (value) => [...value].length,
    'integer',
  ),
  textFunction<[string, number, number]>(
    'substring',
    [text, { name: 'start', kind: 'number' }, { name: 'count', kind: 'number', isOptional: true }],
    'The characters from `start` on, the first is 1; at most `count` of them.',
    (value, start, count) => substring(value, start, count),
  ),
  textFunction<[string, number]>(
    'left',
    [text, { name: 'count', kind: 'number' }],
    'The first characters.',
    (value, count) => substring(value, 1, count),
  ),
  textFunction<[string, number]>(
    'right',
    [text, { name: 'count', kind: 'number' }],
    'The last characters.',
    (value, count) => {
      const characters = [...value];
      return characters
        .slice(Math.max(0, characters.length - Math.max(0, Math.trunc(Number(count)))))
        .join('');
    },
  ),
  textFunction<[string, string, string]>(
    'replace',
    [text, { name: 'old', kind: 'text' }, { name: 'new', kind: 'text' }],
    'The text with each `old` replaced by `new`.',
    replaced,
  ),
  textFunction<[string, string, number]>(
    'split_part',
    [text, { name: 'separator', kind: 'text' }, { name: 'number', kind: 'number' }],
    'A part of the text between separators, the first is 1; an empty text if there is no such part.',
    (value, separator, number) => {
      if (separator.length > MAX_SEARCHED_LENGTH) return null;
      const parts = separator === '' ? [value] : value.split(separator);
      return parts[Math.trunc(Number(number)) - 1] ?? '';
    },
  ),
  ...(['lpad', 'rpad'] as const).map((name) =>
    textFunction<[string, number, string]>(
      name,
      [text, { name: 'length', kind: 'number' }, { name: 'fill', kind: 'text' }],
      `Filled up ${name === 'lpad' ? 'at the start' : 'at the end'} to a number of characters; longer texts are cut.`,
      (value, length, fill) => padded(value, length, fill, name === 'lpad'),
    ),
  ),
  textFunction<[string, string]>(
    'starts_with',
    [text, { name: 'part', kind: 'text' }],
    'Whether the text begins with a part.',
    (value, part) => value.startsWith(part),
    'boolean',
  ),
  textFunction<[string, string]>(
    'ends_with',
    [text, { name: 'part', kind: 'text' }],
    'Whether the text ends with a part.',
    (value, part) => value.endsWith(part),
    'boolean',
  ),
  textFunction<[string, string]>(
    'position',
    [text, { name: 'part', kind: 'text' }],
    'The number of the character at which a part begins; 0 if it is not in the text.',
    (value, part) => {
      if (part.length > MAX_SEARCHED_LENGTH) return null;
      const at = value.indexOf(part);
      return at < 0 ? 0 : [...value.slice(0, at)].length + 1;
    },
    'integer',
  ),
  {
    name: 'to_text',
    group: 'text',
    parameters: [{ name: 'value', kind: 'value' }],
    description: 'Any value as a text; numbers with as many digits as they need.',
    compile: ([arg], { place }) => ({
      kind: 'text',
      place,
      column: converted(arg, 'string', 'a number that is not finite'),
    }),
  },
  {
    name: 'concat',
    group: 'text',
    parameters: [{ name: 'value', kind: 'value', isRepeated: true }],
    description:
      'The values one after another as text; null counts as an empty text. `||` does the same, but null makes the result null.',
    compile: (args, call) => joined(args, call.place, true),
  },
];

/** Texts one after another. `skipsNull`: else a null makes the result null. */
export function joined(args: readonly Node[], place: Node['place'], skipsNull: boolean): Node {
  const texts = args.map(
    (arg): Node => ({
      ...arg,
      kind: 'text',
      constant: undefined,
      column: converted(arg, 'string', 'a number that is not finite'),
    }),
  );
  const parts = skipsNull
    ? texts.map(
        (one): Node => ({ ...one, column: (evaluation) => ({ ...one.column(evaluation), validity: null }) }),
      )
    : texts;
  const join = (...values: string[]): string | null => {
    let length = 0;
    for (const value of values) length += value.length;
    return length > MAX_MADE_LENGTH ? null : values.join('');
  };
  return rowByRow<string[]>('text', parts, place, join, TOO_LONG);
}

/** Damaged expressions of CQL2, each made from a seed and a number alone. */
import { seededRandom } from '../../bench/data.ts';
import { functions } from '../../packages/expressions/src/functions.ts';
import { below, pick, type Random } from './mutations.ts';

/** Every form of the language, over the fields of test/support/hostile-expressions.ts. */
const TEXTS = [
  'pop > 10 and height <= 5.5 or not open',
  'pop between 1 and 3 * 2 + 1',
  "name in ('a', 'Zürich', 'O''Hara') and name not in ('b')",
  "name like 'A%_\\%' or casei(name) like casei('b%')",
  "accenti(name) = accenti('Zürich')",
  'name is not null and date is null',
  'pop % 7 div 2 - -height ^ 2 ^ 0.5',
  "upper(name) || ' (' || to_text(pop) || ')'",
  "case when pop > 10 then 'city' when open then 'town' else name end",
  "coalesce(name, 'x') <> nullif(name, 'y')",
  "date >= date('2020-01-31') and at < timestamp('2020-01-31T12:00:00Z')",
  "t_intersects(interval(date, '..'), interval('2020-01-01', '2020-12-31'))",
  "t_during(interval('2020-01-01', '2020-02-01'), interval(at, '..'))",
  's_intersects(geometry, POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0), (1 1, 1.5 1, 1.5 1.5, 1 1)))',
  's_within(geom, bbox(-1, -1, 1, 1)) or s_disjoint(geometry, POINT Z (1 2 3))',
  's_crosses(geometry, GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 5 5)))',
  "a_containedby(tags, ('a', 1, true)) and a_overlaps(tags, ('b'))",
  "substring(replace(lpad(name, 20, 'x'), 'x', 'yz'), 2, 5)",
  'round(area_ha() / (length() + 1), 2) = least(pop, height, 3)',
  'row() * 1000000007 + 9223372036854775807',
  '"pop" = 1 and "a ""quoted"" name" is null',
  "days_between(date, add_days(date, 40)) > year(at) and weekday(date) = month('2020-01-31')",
];

const TREES: readonly unknown[] = [
  { op: 'and', args: [{ op: '>', args: [{ property: 'pop' }, 10] }, { op: 'not', args: [{ property: 'open' }] }] },
  { op: 'in', args: [{ property: 'name' }, ['a', 'b', { op: 'upper', args: ['c'] }]] },
  { op: 'between', args: [{ property: 'height' }, 1, 2.5e300] },
  { op: 'like', args: [{ op: 'casei', args: [{ property: 'name' }] }, { op: 'casei', args: ['b%'] }] },
  { op: 't_during', args: [{ interval: ['..', '2020-01-01'] }, { interval: [{ property: 'date' }, '2021-01-01'] }] },
  { op: '=', args: [{ property: 'date' }, { date: '2020-01-31' }] },
  { op: '<', args: [{ property: 'at' }, { timestamp: '2020-01-31T12:00:00Z' }] },
  { op: 's_intersects', args: [{ property: 'geometry' }, { type: 'Polygon', coordinates: [[[0, 0], [2, 0], [2, 2], [0, 0]]] }] },
  { op: 's_equals', args: [{ property: 'geometry' }, { bbox: [0, 0, 1, 1] }] },
  { op: 'a_contains', args: [{ property: 'tags' }, ['a', 1]] },
  { op: '+', args: [{ op: 'abs', args: [{ property: 'pop' }] }, { op: '*', args: [2, 3] }] },
  { and: [{ field: 'pop', op: '>', value: 1 }, { not: { field: 'name', op: 'like', value: 'a%' } }] },
]; // biome-ignore format: a line for each

const PIECES = [
  ...functions.map(({ name }) => `${name}(`),
  ...'pop height name open date at tags geometry nope and or not in like is null between case when then else end true + - * / % ^ || = <> < >= ( ) ( ) , , . ; " \' \\ # : [ ] { }'.split(' '), // biome-ignore format: one line
  "'a%'",
  "'..'",
  "'2020-02-30'",
  '1e308',
  '-9223372036854775809',
  '9'.repeat(400),
  'POINT (1',
  'POLYGON ((0 0, 1 1))',
  'EMPTY',
  '\0',
  '\u{1F600}',
  '\ud800',
  '\n',
];
const MAX_MUTATIONS = 4;
const MAX_REPEATS = 3000;
const MAX_BYTES = 20_000;

/** A text or a tree of JSON. */
export function expressionCase(seed: number, index: number): unknown {
  const random = seededRandom(seed * 1_000_003 + index);
  const isText = random() < 0.6;
  let value: unknown = isText ? pick(random, TEXTS) : pick(random, TREES);
  for (let left = below(random, MAX_MUTATIONS + 1); left > 0; left--)
    value = typeof value === 'string' ? damagedText(value, random) : damagedTree(value, random);
  return value;
}

function damagedText(text: string, random: Random): string {
  const at = below(random, text.length + 1);
  const end = at + below(random, Math.min(40, text.length - at) + 1);
  const piece = text.slice(at, end);
  switch (below(random, 7)) {
    case 0:
      return text.slice(0, at) + text.slice(end);
    case 1:
      return `${text.slice(0, at)} ${pick(random, PIECES)} ${text.slice(end)}`;
    case 2:
      return text.slice(0, at) + piece.repeat(1 + below(random, MAX_REPEATS / (piece.length + 1))) + text.slice(end); // biome-ignore format: one line
    case 3:
      return text.slice(0, at) + pick(random, PIECES) + text.slice(at);
    case 4:
      return `(${text}) ${pick(random, ['and', 'or', '=', '||', '+', '^'])} (${pick(random, TEXTS)})`;
    case 5: {
      const depth = below(random, 150);
      return `${pick(random, PIECES.filter((one) => one.endsWith('(')))}`.repeat(depth) + text + ')'.repeat(depth); // biome-ignore format: one line
    }
    default:
      return text.slice(0, at) + String.fromCharCode(below(random, 0x250)) + text.slice(at + 1);
  }
}

/** The tree with one node replaced. */
function damagedTree(tree: unknown, random: Random): unknown {
  if (typeof tree !== 'object' || tree === null || random() < 0.2) return replaced(tree, random);
  if (Array.isArray(tree)) {
    if (tree.length === 0) return [replaced(null, random)];
    const at = below(random, tree.length);
    if (random() < 0.1) return tree.toSpliced(at, 1);
    return tree.with(at, damagedTree(tree[at], random));
  }
  const entries = Object.entries(tree);
  if (entries.length === 0) return replaced(tree, random);
  const at = below(random, entries.length);
  const [key, value] = entries[at];
  if (random() < 0.1) return Object.fromEntries(entries.toSpliced(at, 1));
  return Object.fromEntries(entries.with(at, [key, damagedTree(value, random)]));
}

function replaced(node: unknown, random: Random): unknown {
  switch (below(random, 8)) {
    case 0:
      return pick(random, [null, true, -0, 1e308, -1e-320, '', '..', 'pop', [], {}, 2 ** 53]);
    case 1:
      return pick(random, TREES);
    case 2:
      return { op: pick(random, functions).name, args: [node, pick(random, TREES)] };
    case 3:
      // A request has bytes for every node; copies of copies would only be one object here.
      return Array.from({ length: below(random, MAX_BYTES / (JSON.stringify(node).length + 1)) }, () => node);
    case 4: {
      let inner = node;
      for (let depth = below(random, 300); depth > 0; depth--) inner = { op: 'not', args: [inner] };
      return inner;
    }
    case 5:
      return damagedText(pick(random, TEXTS), random);
    case 6:
      return { property: node };
    default:
      return { op: node, args: node };
  }
}

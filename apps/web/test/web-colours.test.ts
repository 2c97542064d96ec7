/** The colours of layers: which layer has which, and that people with every kind of colour blindness can tell them apart. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FeatureCollection } from '@geomill/client/client.ts';
import {
  classifierOf,
  fieldNames,
  fieldValue,
  MAX_CATEGORIES,
  NUMBER_CLASSES,
} from '../model/colour-classes.ts';
import { assignColours } from '../model/layer-colours.ts';

const CSS = readFileSync(join(import.meta.dirname, '../style/map.css'), 'utf8');

function colourOf(name: string, isDark: boolean): number[] {
  const [, light, dark] = new RegExp(`--map-${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(CSS) ?? [];
  const hex = isDark ? dark : light;
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

/** Linear RGB as people see it without one kind of cones (Machado, Oliveira and Fernandes 2009, severity 1). */
const SIGHTS: Readonly<Record<string, readonly number[]>> = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

function seen(rgb: readonly number[], m: readonly number[]): number[] {
  return [0, 3, 6].map((row) => Math.max(0, m[row] * rgb[0] + m[row + 1] * rgb[1] + m[row + 2] * rgb[2]));
}

const luminance = ([r, g, b]: readonly number[]): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** CIELAB, D65. */
function lab([r, g, b]: readonly number[]): number[] {
  const x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505;
  const z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089;
  const [fx, fy, fz] = [x, luminance([r, g, b]), z].map((t) =>
    t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116,
  );
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

const categories = Array.from({ length: MAX_CATEGORIES }, (_, i) => `layer-${i + 1}`);
const ramp = Array.from({ length: NUMBER_CLASSES }, (_, i) => `number-${i + 1}`);

for (const isDark of [false, true]) {
  test(`layers and classes stand out from land and water (${isDark ? 'dark' : 'light'})`, () => {
    for (const ground of ['land', 'water'])
      for (const name of [...categories, ...ramp, 'other']) {
        const pair = [colourOf(name, isDark), colourOf(ground, isDark)].map(luminance);
        const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
        assert.ok(contrast >= 3, `${name} on ${ground}: ${contrast}`);
      }
  });

  for (const [sight, matrix] of Object.entries(SIGHTS)) {
    const seenAs = (name: string) => lab(seen(colourOf(name, isDark), matrix));

    test(`no two layers or categories look the same (${isDark ? 'dark' : 'light'}, ${sight})`, () => {
      const all = [...categories, 'other'].map(seenAs);
      for (const [i, one] of all.entries())
        for (const [j, other] of all.slice(0, i).entries()) {
          const distance = Math.hypot(...one.map((value, at) => value - other[at]));
          // 2.3 is just noticeable side by side; the first four, of nearly all maps, differ much more.
          assert.ok(distance >= (i < 4 ? 15 : 8), `${i + 1} and ${j + 1}: ${distance}`);
        }
    });

    test(`more is darker on light maps, and lighter on dark ones (${isDark ? 'dark' : 'light'}, ${sight})`, () => {
      const lightness = ramp.map((name) => seenAs(name)[0]);
      for (const [i, value] of lightness.slice(1).entries())
        assert.ok((isDark ? 1 : -1) * (value - lightness[i]) >= 5, `${i + 1} to ${i + 2}: ${lightness}`);
    });
  }
}

test('layers keep their colours, and new ones get those that the fewest have', () => {
  const first = assignColours(new Map(), ['a', 'b', 'c']);
  assert.deepEqual([...first.values()], [1, 2, 3]);
  const next = assignColours(first, ['c', 'd', 'a']);
  assert.deepEqual(Object.fromEntries(next), { a: 1, c: 3, d: 2 });
  const many = assignColours(
    new Map(),
    Array.from({ length: 20 }, (_, i) => `layer ${i}`),
  );
  assert.deepEqual([...many.values()].slice(0, 9), [1, 2, 3, 4, 5, 6, 7, 8, 1]);
});

const collection = (values: readonly unknown[]): FeatureCollection =>
  ({
    type: 'FeatureCollection',
    features: values.map((v) => ({
      type: 'Feature',
      geometry: null,
      properties: v === undefined ? {} : { v },
    })),
  }) as never;

const VALUES: Readonly<Record<string, readonly [values: readonly unknown[], classes: readonly string[]]>> = {
  'text, the most frequent first': [
    ['b', 'a', 'b', 'c', 'a', 'b'],
    ['b 3', 'a 2', 'c 1', 'none 0'],
  ],
  'true and false': [
    [true, false, true],
    ['true 2', 'false 1', 'none 0'],
  ],
  'missing and null values': [
    ['a', null, undefined],
    ['a 1', 'none 2'],
  ],
  'more than twelve values': [
    Array.from({ length: 30 }, (_, i) => `v${i % 15}`),
    [
      ...['v0', 'v1', 'v10', 'v11', 'v12', 'v13', 'v14', 'v2', 'v3', 'v4', 'v5', 'v6'].map((v) => `${v} 2`),
      'other 6',
      'none 0',
    ],
  ],
  'numbers by quantiles': [
    Array.from({ length: 100 }, (_, i) => i ** 2),
    ['0 to 361 20', '400 to 1521 20', '1600 to 3481 20', '3600 to 6241 20', '6400 to 9801 20', 'none 0'],
  ],
  'few different numbers': [
    [3, 1, 1, 2, 1],
    ['1 3', '2 1', '3 1', 'none 0'],
  ],
  'one number most of the time': [
    [...new Array(98).fill(0), 5, 12_000.5],
    ['0 98', '5 1', '12,000.5 1', 'none 0'],
  ],
  'mostly one number, and many others': [
    [...new Array(500).fill(0), ...Array.from({ length: 9 }, (_, i) => i + 1)],
    ['0 to 1 501', '2 to 3 2', '4 to 5 2', '6 to 7 2', '8 to 9 2', 'none 0'],
  ],
  'negative numbers and fractions': [
    [-1.5, 0.1 + 0.2],
    ['−1.5 1', '0.3 1', 'none 0'],
  ],
  'one year': [
    [1990, 1990],
    ['1990 2', 'none 0'],
  ],
  'numbers and text': [
    [1, 'a', 1],
    ['1 2', 'a 1', 'none 0'],
  ],
  'lists and objects': [
    [[1, 2], { a: 1 }, [1, 2]],
    ['[1,2] 2', '{"a":1} 1', 'none 0'],
  ],
  'no value at all': [[null, null], ['none 2']],
};

for (const [name, [values, expected]] of Object.entries(VALUES))
  test(`classes of a field: ${name}`, () => {
    const { classes, classOf } = classifierOf(collection(values), 'v');
    const counts = classes.map(() => 0);
    for (const value of values) counts[classOf(value)]++;
    const found = classes.map(({ kind, text }, i) => `${text ?? kind} ${counts[i]}`);
    assert.deepEqual(
      found.filter((text) => text !== 'other 0'),
      expected,
    );
  });

test('a value that the whole has not is among the others, or in the nearest class', () => {
  const text = classifierOf(collection(Array.from({ length: 30 }, (_, i) => `v${i}`)), 'v');
  assert.equal(text.classes[text.classOf('new')].kind, 'other');
  const number = classifierOf(collection([1, 2, 3, 4, 5, 6]), 'v');
  assert.equal(number.classOf(-10), 0);
  assert.equal(number.classOf(100), number.classes.length - 2);
});

test('a field with a name that every object has', () => {
  const features: { readonly properties: unknown }[] = [
    { properties: { constructor: 'a' } },
    { properties: {} },
    { properties: null },
  ];
  const { classes, classOf } = classifierOf({ type: 'FeatureCollection', features } as never, 'constructor');
  assert.deepEqual(
    classes.map(({ text }) => text),
    ['a', null],
  );
  assert.deepEqual(
    features.map(({ properties }) => classOf(fieldValue(properties, 'constructor'))),
    [0, 1, 1],
  );
});

test('fields are those of all features, in their order', () => {
  const features = [{ properties: { b: 1 } }, { properties: null }, { properties: { a: 1, b: 2 } }];
  assert.deepEqual(fieldNames({ type: 'FeatureCollection', features } as never), ['b', 'a']);
});

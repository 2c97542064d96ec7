/** The colours of layers: which layer has which, and that people with every kind of colour blindness can tell them apart. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assignColours, LAYER_COLOURS } from '../model/layer-colours.ts';

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

const numbers = Array.from({ length: LAYER_COLOURS }, (_, i) => i + 1);

for (const isDark of [false, true]) {
  test(`layers stand out from land and water (${isDark ? 'dark' : 'light'})`, () => {
    for (const ground of ['land', 'water'])
      for (const number of numbers) {
        const pair = [colourOf(`layer-${number}`, isDark), colourOf(ground, isDark)].map(luminance);
        const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
        assert.ok(contrast >= 3, `${number} on ${ground}: ${contrast}`);
      }
  });

  for (const [sight, matrix] of Object.entries(SIGHTS))
    test(`no two layers look the same (${isDark ? 'dark' : 'light'}, ${sight})`, () => {
      const all = numbers.map((number) => lab(seen(colourOf(`layer-${number}`, isDark), matrix)));
      for (const [i, one] of all.entries())
        for (const [j, other] of all.slice(0, i).entries()) {
          const distance = Math.hypot(...one.map((value, at) => value - other[at]));
          // 2.3 is just noticeable side by side; the first four, of nearly all maps, differ much more.
          assert.ok(distance >= (i < 4 ? 15 : 8), `${i + 1} and ${j + 1}: ${distance}`);
        }
    });
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

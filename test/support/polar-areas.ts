/** Areas around a pole and near it, for laws. */

type Ring = readonly (readonly [number, number])[];

const circle = (x: number, y: number, radius: number, count = 72, from = 0): Ring =>
  Array.from({ length: count + 1 }, (_, i) => {
    const angle = (2 * Math.PI * ((i % count) + from)) / count;
    return [Math.round(x + radius * Math.cos(angle)), Math.round(y + radius * Math.sin(angle))] as const;
  });
const square = (x: number, y: number, half: number): Ring => [
  [x - half, y - half],
  [x + half, y - half],
  [x + half, y + half],
  [x - half, y + half],
  [x - half, y - half],
];
const backwards = (ring: Ring): Ring => [...ring].reverse();
const textOf = (ring: Ring): string => `(${ring.map(([x, y]) => `${x} ${y}`).join(',')})`;
const polygon = (...rings: Ring[]): string => `POLYGON (${rings.map(textOf).join(',')})`;

/** WKT in a polar projection, with the pole at 0, 0. */
export const AREAS: Readonly<Record<string, string>> = {
  'a circle around the pole': polygon(circle(0, 0, 2e6)),
  'a clockwise circle': polygon(backwards(circle(0, 0, 2e6))),
  'a circle with an off-centre pole': polygon(circle(900_000, 400_000, 1.2e6)),
  'a square around the pole': polygon(square(0, 0, 1e6)),
  'a square with the pole near its edge': polygon(square(0, 990_000, 1e6)),
  'a ring around the pole': polygon(circle(0, 0, 2e6), circle(0, 0, 5e5)),
  'a ring whose hole is written the same way round': polygon(
    circle(0, 0, 2e6),
    backwards(circle(1e5, 0, 5e5)),
  ),
  'a hole beside the pole': polygon(circle(0, 0, 2e6), circle(1e6, 1e6, 3e5)),
  'holes all around the pole': polygon(
    circle(0, 0, 2e6),
    ...[0, 60, 120, 180, 240, 300].map((degrees) =>
      circle(1e6 * Math.cos((degrees * Math.PI) / 180), 1e6 * Math.sin((degrees * Math.PI) / 180), 2e5),
    ),
  ),
  'a corner at the pole': polygon([
    [0, 0],
    [1e6, -2e5],
    [1e6, 5e5],
    [0, 0],
  ]),
  'an edge through the pole': polygon([
    [-1e6, 0],
    [1e6, 0],
    [0, 1e6],
    [-1e6, 0],
  ]),
  'an edge close to the pole': polygon(square(0, 1e6 + 3, 1e6)),
  'no pole': polygon(square(2e6, 2e6, 3e5)),
  'two polygons, one around the pole': `MULTIPOLYGON ((${textOf(circle(0, 0, 1e6))}),(${textOf(square(3e6, 0, 2e5))}))`,
};

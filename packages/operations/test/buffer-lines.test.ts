/** Buffers of lines that are drawn without GEOS are those of GEOS. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '../../../bench/data.ts';
import { GeometryBuilder, type GeometryColumn } from '../../core/src/geometry/geometry-column.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { LineBuffer } from '../src/buffer/line-buffer.ts';

const geos = await Geos.load();
const ROUNDS = Number(process.env.LINE_ROUNDS ?? 60);

type Position = readonly [number, number];
type Random = () => number;

function columnOf(line: readonly Position[]): GeometryColumn {
  const builder = new GeometryBuilder('XY');
  for (const [x, y] of line) builder.position(x, y);
  builder.endRing();
  builder.endPart(2);
  builder.endFeature(2);
  return builder.finish();
}

const lines: Readonly<Record<string, (random: Random) => Position[]>> = {
  'random walks': (random) => walk(random, 2 + Math.floor(random() * 14), () => random() * 7, 100),
  'smooth curves': (random) => {
    const bend = (random() - 0.5) * 0.4;
    return walk(random, 40, (angle) => angle + bend + (random() - 0.5) * 0.1, 20);
  },
  // Edges that repeat directions, turn at right angles and back, and touch each other.
  'paths on a grid': (random) =>
    walk(random, 2 + Math.floor(random() * 10), () => (Math.floor(random() * 4) * Math.PI) / 2, 0),
};

function walk(random: Random, count: number, next: (angle: number) => number, length: number): Position[] {
  let x = length === 0 ? 0 : 500_000 + random() * 1000;
  let y = length === 0 ? 0 : 5_400_000 + random() * 1000;
  let angle = random() * 7;
  const line: Position[] = [[x, y]];
  while (line.length < count) {
    angle = next(angle);
    const step = length === 0 ? 10 * (1 + Math.floor(random() * 3)) : length * (0.1 + random());
    x += step * Math.cos(angle);
    y += step * Math.sin(angle);
    if (length === 0) [x, y] = [Math.round(x), Math.round(y)];
    line.push([x, y]);
  }
  return line;
}

for (const [kind, lineOf] of Object.entries(lines)) {
  test(`buffers of ${kind} are those of GEOS`, () => {
    const random = seededRandom(kind.length);
    let drawn = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const distance =
        [1, 5, 20, 50, 200][Math.floor(random() * 5)] * (kind === 'paths on a grid' ? 1 : 0.5 + random());
      const quadrantSegments = [1, 3, 8, 16][Math.floor(random() * 4)];
      const line = lineOf(random);
      const column = columnOf(line);
      const builder = new GeometryBuilder('XY');
      if (!new LineBuffer(distance, quadrantSegments).append(column, 0, builder)) continue;
      drawn++;
      const style = { quadrantSegments, endCap: 'round', join: 'round', mitreLimit: 5 } as const;
      using actual = geos.read(builder.finish(), 0);
      using input = geos.read(column, 0);
      using expected = input.buffer(distance, style);
      const text = `${distance} ${quadrantSegments} ${JSON.stringify(line)}`;
      assert.ok(actual.isValid, `${actual.validityReason} ${text}`);
      using difference = actual.symmetricDifference(expected);
      assert.ok(difference.area <= 1e-8 * expected.area, `${difference.area / expected.area} ${text}`);
    }
    if (process.env.LINE_ROUNDS !== undefined) console.log(kind, drawn, ROUNDS);
    if (kind !== 'paths on a grid') assert.ok(drawn > ROUNDS * 0.8, `${drawn} of ${ROUNDS} were drawn`);
  });
}

test('what is no plain line is left to GEOS', () => {
  const buffer = new LineBuffer(10, 8);
  const builder = new GeometryBuilder('XY');
  const closed: Position[] = [
    [0, 0],
    [50, 0],
    [50, 50],
    [0, 0],
  ];
  for (const line of [[[0, 0]], [[0, 0], [0, 0]], [[0, 0], [Number.NaN, 1]], closed] as Position[][]) // biome-ignore format: one line
    assert.equal(buffer.append(columnOf(line), 0, builder), false);
  assert.equal(builder.finish().types.length, 0);
});

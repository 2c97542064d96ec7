/** Pieces of tiles are sorted the same in memory and through files, and large tiles lose their smallest features. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { seededRandom } from '../../../bench/data.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { CellSet } from '../src/pmtiles/cell-set.ts';
import { RecordWriter, stableOrder } from '../src/pmtiles/record-writer.ts';
import { RecordView } from '../src/pmtiles/records.ts';
import { SortedRuns } from '../src/pmtiles/sorted-runs.ts';
import { gatherTiles } from '../src/pmtiles/tile-gather.ts';
import { ValueTable } from '../src/pmtiles/value-table.ts';

/** Chunks with records of random tiles; the id of a record is its number. */
function chunks(count: number, records: number, tiles: number): Uint8Array<ArrayBuffer>[] {
  const random = seededRandom(5);
  const writer = new RecordWriter();
  let id = 0;
  return Array.from({ length: count }, () => {
    for (let i = 0; i < records; i++) {
      const attributes = new Uint8Array(Math.floor(random() * 40));
      writer.begin(Math.floor(random() * tiles), { hash: 0, layer: 0, id: id++, attributes }, random(), 1, 0);
      writer.point(1, 2);
      writer.end(attributes);
    }
    return writer.takeSorted();
  });
}

function read(runs: SortedRuns): { tile: number; id: number }[] {
  return Array.from(runs.records(), ({ view, start }) => ({ tile: view.tile(start), id: view.id(start) }));
}

test('sorts pieces by tile, in memory, through files and through merged files', () => {
  using workspace = makeWorkspace();
  const expected = chunks(300, 8, 40)
    .flatMap((bytes) => {
      const view = new RecordView(bytes);
      const found: { tile: number; id: number }[] = [];
      for (let at = 0; at < bytes.length; at += view.byteLength(at))
        found.push({ tile: view.tile(at), id: view.id(at) });
      return found;
    })
    .sort((a, b) => a.tile - b.tile || a.id - b.id);
  // Of one chunk, the third limit makes a run for each, so that 256 of them are merged to one first.
  for (const memoryBytes of [1 << 20, 10_000, 1]) {
    const runs = new SortedRuns(join(workspace.path, 'pieces'), memoryBytes);
    for (const bytes of chunks(300, 8, 40)) runs.append(bytes);
    assert.equal(readdirSync(workspace.path).length, memoryBytes === 1 ? 2 : memoryBytes === 10_000 ? 1 : 0);
    assert.deepEqual(read(runs), expected);
    runs.discard();
    assert.deepEqual(readdirSync(workspace.path), []);
  }
});

test('a file that cannot be opened again is closed once', () => {
  using workspace = makeWorkspace();
  const directory = join(workspace.path, 'gone');
  mkdirSync(directory);
  const runs = new SortedRuns(join(directory, 'pieces'), 1);
  // 256 runs were merged to one, and their file is opened again for the next.
  for (const bytes of chunks(256, 1, 4)) runs.append(bytes);
  rmSync(directory, { recursive: true });
  assert.throws(() => runs.append(chunks(1, 1, 4)[0]), { code: 'ENOENT' });
  // A second close fails, or closes another file.
  runs.discard();
});

test('a tile with too many bytes loses its smallest features, and they are counted', () => {
  const [bytes] = chunks(1, 2_000, 2);
  const left = [0, 0];
  const sizes: number[] = [];
  let smallestKept = Number.POSITIVE_INFINITY;
  const source = new SortedRuns('unused');
  source.append(bytes);
  for (const gathered of gatherTiles(source, (tile, count) => (left[tile] += count), 20_000)) {
    const view = new RecordView(gathered);
    for (let at = 0; at < gathered.length; at += view.byteLength(at)) {
      sizes[view.tile(at)] = (sizes[view.tile(at)] ?? 0) + 1;
      smallestKept = Math.min(smallestKept, view.rank(at));
    }
  }
  assert.equal(sizes[0] + sizes[1] + left[0] + left[1], 2_000);
  assert.ok(left[0] > 0 && left[1] > 0 && sizes[0] > 50 && sizes[1] > 50);
  const halfSize = new Uint32Array(Float32Array.of(0.5).buffer)[0] * 2 ** 21;
  assert.ok(smallestKept > halfSize, 'only large features are kept');
});

test('orders numbers of tiles of all zooms, equal ones as they came', () => {
  const random = seededRandom(9);
  const numbers = Float64Array.from({ length: 5_000 }, () => Math.floor(random() ** 8 * 2 ** 44.4));
  const expected = Array.from(numbers.keys()).sort((a, b) => numbers[a] - numbers[b] || a - b);
  assert.deepEqual(Array.from(stableOrder(numbers, numbers.length)), expected);
  assert.deepEqual(Array.from(stableOrder(numbers, 0)), []);
});

test('finds equal values and cells again', () => {
  const random = seededRandom(11);
  const values = new ValueTable();
  const cells = new CellSet();
  for (let round = 0; round < 2; round++) {
    const numbers = new Map<string, number>();
    const seen = new Set<string>();
    for (let i = 0; i < 20_000; i++) {
      const text = `${Math.floor(random() * 4_000)}`;
      const bytes = Buffer.from(`-${text}`);
      const expected = numbers.get(text) ?? numbers.size;
      numbers.set(text, expected);
      assert.equal(values.numberOf(bytes, 1, bytes.length), expected);
      const [zoom, x, y] = [Math.floor(random() * 3), Math.floor(random() * 60), Math.floor(random() * 60)];
      assert.equal(cells.add(zoom, x, y), !seen.has(`${zoom} ${x} ${y}`));
      seen.add(`${zoom} ${x} ${y}`);
    }
    assert.equal(values.count, numbers.size);
    values.reset();
    cells.clear();
  }
});

/** The sink of PMTiles: threads that fail, and features that are larger than a tile may be. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { RecordWriter } from '../src/pmtiles/record-writer.ts';
import { RecordView } from '../src/pmtiles/records.ts';
import { PmtilesSink } from '../src/pmtiles/sink.ts';
import { SortedRuns } from '../src/pmtiles/sorted-runs.ts';
import type { WriteState } from '../src/pmtiles/state.ts';
import { buildTiles } from '../src/pmtiles/tile-build.ts';
import { gatherTiles } from '../src/pmtiles/tile-gather.ts';

const TEXT = 0x0a;

/** Points of one tile each, or of one tile; sizes in descending order; attributes of random texts of these lengths. */
function records(lengths: readonly number[], tileOf: (i: number) => number): Uint8Array<ArrayBuffer> {
  const writer = new RecordWriter();
  for (const [i, length] of lengths.entries()) {
    // Field 0, length of the value and the value: a text of digits that hardly compress.
    const text = crypto.getRandomValues(new Uint8Array(length));
    const value = Buffer.concat([Uint8Array.of(TEXT), varint(length), text]);
    const attributes = Buffer.concat([Uint8Array.of(0), varint(value.length), value]);
    writer.begin(tileOf(i), { hash: 0, layer: 0, id: i, attributes }, lengths.length - i, 1, 0);
    writer.point(i, i);
    writer.end(attributes);
  }
  return writer.takeSorted();
}

function varint(value: number): Uint8Array {
  return Uint8Array.of((value & 0x7f) | 0x80, ((value >> 7) & 0x7f) | 0x80, value >> 14);
}

const STATE: WriteState = {
  layer: 0,
  layerName: 'a',
  fields: [{ name: 'text', type: 'string' }],
  idField: -1,
  minZoom: 0,
  maxZoom: 14,
  dropsSmall: false,
  tileLimit: 500_000,
};

test('fails once if a thread fails before one that is awaited first, and leaves no files', async (context) => {
  using workspace = makeWorkspace();
  const unhandled: unknown[] = [];
  const listener = (error: unknown): number => unhandled.push(error);
  process.on('unhandledRejection', listener);
  context.after(() => process.off('unhandledRejection', listener));
  const first = Promise.withResolvers<never>();
  let calls = 0;
  const work = async (): Promise<never> => {
    if (calls++ === 0) return first.promise;
    throw new Error('a later task');
  };
  const path = join(workspace.path, 'a.pmtiles');
  const sink = new PmtilesSink(path, [STATE], { name: 'a', options: {}, findings: new Findings(), work });
  sink.append(0, { bytes: records(new Array(3000).fill(1000), (i) => 100_000 + i), bounds: [0, 0, 1, 1] });
  const finished = assert.rejects(sink.finish(), /the first task/);
  await turn();
  first.reject(new Error('the first task'));
  await finished;
  sink.abort();
  assert.ok(calls > 2);
  assert.deepEqual(unhandled, []);
  assert.deepEqual(readdirSync(workspace.path), []);
});

test('leaves features that alone are larger than a tile may be out, and not the others with them', () => {
  const bytes = records([60_000, 30_000, 100, 100, 100], () => 0);
  const layers = [{ name: 'a', fields: ['text'] }];
  const { left, lengths } = buildTiles({ bytes, tileLimit: 10_000, layers });
  assert.deepEqual([...left], [2]);
  assert.ok(lengths[0] > 300 && lengths[0] < 1000);
});

test('leaves pieces that alone are larger than half of the most bytes of a tile out, and not the others with them', () => {
  using workspace = makeWorkspace();
  const runs = new SortedRuns(join(workspace.path, 'runs'));
  runs.append(records([6_000, 100, 100, 100, 5_000, 100], () => 0));
  let left = 0;
  const [bytes] = gatherTiles(
    runs,
    (_, count) => {
      left += count;
    },
    10_000,
  );
  const view = new RecordView(bytes);
  const ids: number[] = [];
  for (let at = 0; at < bytes.length; at += view.byteLength(at)) ids.push(view.id(at));
  assert.deepEqual(ids, [1, 2, 3, 5]);
  assert.equal(left, 2);
});

/** Large tiles do not wait for the threads together: to build one takes several times as much memory as its pieces have. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { RecordWriter } from '../src/pmtiles/record-writer.ts';
import { RecordView } from '../src/pmtiles/records.ts';
import { PmtilesSink } from '../src/pmtiles/sink.ts';
import type { WriteState } from '../src/pmtiles/state.ts';
import type { BuiltTiles, TileWork } from '../src/pmtiles/tile-build.ts';

const MIB = 1 << 20;
const STATE: WriteState = {
  layer: 0,
  layerName: 'a',
  fields: [],
  idField: -1,
  minZoom: 0,
  maxZoom: 2,
  dropsSmall: false,
  tileLimit: 500_000,
};

/** Records of about a mebibyte each. */
function recordsOf(tile: number, count: number): Uint8Array<ArrayBuffer> {
  const writer = new RecordWriter();
  const attributes = new Uint8Array(MIB);
  for (let i = 0; i < count; i++) {
    writer.begin(tile, { hash: i, layer: 0, id: i, attributes }, 1, 1, 0);
    writer.end(attributes);
  }
  return writer.takeSorted();
}

test('tiles that wait for the threads have at most 32 MiB of pieces together', async () => {
  using workspace = makeWorkspace();
  const tiles: number[] = [];
  let bytesUnderWay = 0;
  let most = 0;
  let mostShared = 0;
  const work = async (payload: unknown): Promise<BuiltTiles> => {
    const { bytes } = payload as TileWork;
    const tile = new RecordView(bytes).tile(0);
    tiles.push(tile);
    bytesUnderWay += bytes.length;
    most = Math.max(most, bytesUnderWay);
    if (bytesUnderWay > bytes.length) mostShared = Math.max(mostShared, bytesUnderWay);
    await setImmediate();
    bytesUnderWay -= bytes.length;
    return {
      tiles: Float64Array.of(tile),
      lengths: Uint32Array.of(0),
      digests: new Int32Array(5),
      bytes: new Uint8Array(0),
      left: Uint32Array.of(0),
      thinned: Uint32Array.of(0),
    };
  };
  const context = { name: 'a', options: {}, findings: new Findings(), work };
  const sink = new PmtilesSink(join(workspace.path, 'a.pmtiles'), [STATE], context);
  // Of tiles of 20 MiB one at a time, of 9 MiB three, and one of 40 MiB alone.
  for (const [tile, count] of [20, 20, 9, 9, 9, 9, 40, 1, 1].entries())
    sink.append(0, { bytes: recordsOf(tile, count), bounds: [0, 0, 1, 1] });
  await sink.finish();
  assert.deepEqual(tiles, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.ok(mostShared > 26 * MIB && mostShared <= 32 * MIB, `${mostShared} bytes`);
  assert.ok(most > 40 * MIB && most < 41 * MIB, `${most} bytes`);
});

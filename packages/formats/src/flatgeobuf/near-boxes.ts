/** Finds the partitions of a layer that can have features in boxes, by the index. */
import { mayMeet, type NearBoxes } from '@geomill/core/columns/near-boxes.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import type { SourceLayer } from '../reader.ts';
import { ENTRY_BYTES, levelsOf } from './index-layout.ts';
import type { FlatGeobufState } from './open.ts';

/** Entries that are read at once. */
const ENTRIES_AT_ONCE = 1 << 14;

/** As `partitionsNear` of ExcerptRules. */
export function partitionsNear(
  { state: stated }: Pick<SourceLayer, 'state'>,
  near: NearBoxes,
): Uint8Array | null {
  const { path, index, featuresBefore } = stated as FlatGeobufState;
  if (index === null) return null;
  const { start, count, nodeSize } = index;
  const isNear = new Uint8Array(featuresBefore.length);
  using source = openFileSource(path);
  const levels = levelsOf(count, nodeSize);
  // Runs of entries of a level that are looked at: start, end, start, end, ... counted from the first of the level.
  let runs = [0, 1];
  for (let height = levels.length - 1; height >= 0; height--) {
    const level = levels[height];
    const below: number[] = [];
    let partition = 0;
    const visit =
      height > 0
        ? (entry: number): void =>
            addRun(
              below,
              entry * nodeSize,
              Math.min((entry + 1) * nodeSize, levels[height - 1].end - levels[height - 1].start),
            )
        : (feature: number): void => {
            while (partition + 1 < featuresBefore.length && featuresBefore[partition + 1] <= feature)
              partition++;
            isNear[partition] = 1;
          };
    for (let i = 0; i < runs.length; i += 2)
      for (let first = runs[i]; first < runs[i + 1]; first += ENTRIES_AT_ONCE) {
        const end = Math.min(runs[i + 1], first + ENTRIES_AT_ONCE);
        const at = start + (level.start + first) * ENTRY_BYTES;
        visitHits(new DataView(source.slice(at, at + (end - first) * ENTRY_BYTES).buffer), near, (entry) =>
          visit(first + entry),
        );
      }
    runs = below;
  }
  return isNear;
}

function addRun(runs: number[], start: number, end: number): void {
  if (runs.at(-1) === start) runs[runs.length - 1] = end;
  else runs.push(start, end);
}

/** Visits the numbers of the entries that may have features in one of the boxes. */
function visitHits(view: DataView, near: NearBoxes, visit: (entry: number) => void): void {
  for (let at = 0; at < view.byteLength; at += ENTRY_BYTES) {
    const minX = view.getFloat64(at, true);
    const minY = view.getFloat64(at + 8, true);
    const maxX = view.getFloat64(at + 16, true);
    const maxY = view.getFloat64(at + 24, true);
    if (mayMeet(near, minX, minY, maxX, maxY)) visit(at / ENTRY_BYTES);
  }
}

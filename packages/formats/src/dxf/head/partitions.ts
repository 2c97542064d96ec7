/**
 * Splits the entities of a drawing without reading them, at the first entity near each nominal offset that begins a
 * feature. In text files such an offset is certain: a name is not a group code, so a line "0" before a name is the code
 * of that value. Binary files are read tag by tag, since their bytes do not show where tags begin.
 */
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { Partition } from '../../reader.ts';
import { OwnXdata } from '../features/xdata-read.ts';
import { RecordReader } from '../tags/record-reader.ts';
import type { EntityRange, TagFacts } from './drawing-state.ts';

/** Bytes searched first for the beginning of an entity; most entities are shorter. */
const SEARCH_BYTES = 1 << 13;

/** Entities that belong to the previous one. */
const NOT_FIRST = new Set(['VERTEX', 'ATTRIB', 'SEQEND']);

/** Consecutive partitions of all ranges: each ends where the next one begins, across gaps between ranges. */
export function cutRanges(
  source: ByteSource,
  facts: TagFacts,
  ranges: readonly EntityRange[],
  partitionBytes: number,
): Partition[] {
  const starts: number[] = [];
  for (const range of ranges) {
    starts.push(range.start);
    if (facts.form === 'ascii') cutText(source, facts, range, partitionBytes, starts);
    else cutBinary(source, facts, range, partitionBytes, starts);
  }
  const end = ranges.length === 0 ? 0 : ranges[ranges.length - 1].end;
  return starts.map((start, i) => ({ start, end: i + 1 < starts.length ? starts[i + 1] : end }));
}

function cutText(
  source: ByteSource,
  facts: TagFacts,
  range: EntityRange,
  partitionBytes: number,
  starts: number[],
): void {
  const reader = new RecordReader(source, facts, range.start, {
    windowBytes: SEARCH_BYTES,
    linesBefore: null,
  });
  let nominal = range.start + partitionBytes;
  // A rest shorter than half a partition does not become a partition of its own.
  while (nominal < range.end - partitionBytes / 2) {
    const start = firstFeature(reader, nominal, range.end);
    if (start < 0) return;
    starts.push(start);
    nominal = start + partitionBytes;
  }
}

/** The first entity that begins a feature at or after `from`; -1 if there is none before `end`. */
function firstFeature(reader: RecordReader, from: number, end: number): number {
  if (!reader.seekRecord(from, end)) return -1;
  while (reader.position < end) if (reader.next() && beginsFeature(reader)) return reader.recordStart;
  return -1;
}

const xdata = new OwnXdata();

function beginsFeature(reader: RecordReader): boolean {
  const { tags } = reader.entity;
  return !NOT_FIRST.has(tags.type) && !(xdata.read(tags) && !xdata.isHead);
}

function cutBinary(
  source: ByteSource,
  facts: TagFacts,
  range: EntityRange,
  partitionBytes: number,
  starts: number[],
): void {
  let nominal = range.start + partitionBytes;
  if (nominal >= range.end - partitionBytes / 2) return;
  const reader = new RecordReader(source, facts, range.start, {
    windowBytes: partitionBytes,
    linesBefore: null,
  });
  reader.readTags();
  while (reader.position < range.end && nominal < range.end - partitionBytes / 2) {
    if (!reader.next() || reader.recordStart < nominal || !beginsFeature(reader)) continue;
    starts.push(reader.recordStart);
    nominal = reader.recordStart + partitionBytes;
  }
}

/** Reads objects of one type. Objects are hardly needed and can be most of a file, so their bytes are searched first. */

import type { ByteSource } from '@geomill/io/byte-source.ts';
import { byteView } from '@geomill/platform/bytes.ts';
import type { EntityTags } from '../contract.ts';
import { RecordReader } from '../tags/record-reader.ts';
import type { TagFacts } from './drawing-state.ts';
import type { Section } from './sections.ts';

const CHUNK_BYTES = 1 << 20;

/** Visits all objects of the OBJECTS sections that contain `name`, which is that of a type. The tags are valid in `visit`. */
export function visitObjects(
  source: ByteSource,
  facts: TagFacts,
  sections: readonly Section[],
  name: string,
  visit: (tags: EntityTags) => void,
): void {
  const wanted = new TextEncoder().encode(name);
  for (const section of sections) {
    const { start, end } = section;
    if (section.name !== 'OBJECTS' || !contains(source, start, end, wanted)) continue;
    const reader = new RecordReader(source, facts, start, {
      windowBytes: CHUNK_BYTES,
      linesBefore: null,
      end,
    });
    reader.readTags();
    while (reader.position < end) if (reader.next()) visit(reader.entity.tags);
  }
}

function contains(source: ByteSource, start: number, end: number, wanted: Uint8Array): boolean {
  for (let at = start; at < end; at += CHUNK_BYTES) {
    const bytes = source.slice(at, Math.min(end, at + CHUNK_BYTES + wanted.length));
    if (byteView(bytes).indexOf(wanted) >= 0) return true;
  }
  return false;
}

/** Reads entities from anywhere in a drawing while others are being read: the contents of blocks. */
import type { ByteSource } from '../../../io/byte-source.ts';
import type { EntityScan } from '../head/drawing.ts';
import type { TagFacts } from '../head/drawing-state.ts';
import type { DrawingText } from './drawing-text.ts';
import { RecordReader } from './record-reader.ts';

/** Blocks are mostly small; windows grow where they are not. */
const WINDOW_BYTES = 1 << 13;

/** Scans may nest, each level has a reader of its own; they are made once. Broken entities are left out. */
export function entityScan(source: ByteSource, facts: TagFacts, text: DrawingText): EntityScan {
  const readers: RecordReader[] = [];
  let depth = 0;
  return (start, end, visit) => {
    let records = readers[depth];
    if (records === undefined) {
      const options = { windowBytes: WINDOW_BYTES, ownMemory: true, text, linesBefore: null };
      records = new RecordReader(source, facts, start, options);
      readers[depth] = records;
    } else records.seek(start);
    depth++;
    try {
      while (records.position < end) if (records.next()) visit(records.entity);
    } finally {
      depth--;
    }
  };
}

/**
 * The metadata at the end of a Parquet file (parquet.thrift: FileMetaData). Row groups are read after the schema and the keys
 * are known, so that of their statistics only those that are used take memory.
 */

import type { ByteSource } from '@geomill/io/byte-source.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import { CompactEnd, CompactReader, T } from '../bytes/compact-reader.ts';
import { damaged, unsupported } from '../fault.ts';
import { type LogicalType, logicalOf, readLogical } from './logical.ts';

/** SchemaElement. */
export interface SchemaElement {
  readonly name: string;
  /** Type of parquet.thrift; null: a group. */
  readonly type: number | null;
  readonly typeLength: number;
  readonly repetition: number;
  readonly childCount: number;
  readonly logical: LogicalType | null;
}

export const PHYSICAL = {
  boolean: 0,
  int32: 1,
  int64: 2,
  int96: 3,
  float: 4,
  double: 5,
  bytes: 6,
  fixed: 7,
} as const;

export const REPETITION = { required: 0, optional: 1, repeated: 2 } as const;

export interface FileMetadata {
  readonly elements: readonly SchemaElement[];
  readonly keys: ReadonlyMap<string, string>;
  readonly rowCount: number;
  /** Reads the list of row groups. */
  readonly rowGroups: (group: (reader: CompactReader) => void) => void;
  /** By leaf: whether its least and largest values are in the order of its type. */
  readonly isOrdered: readonly boolean[];
  /** Offset of the metadata: the data ends before it. */
  readonly dataEnd: number;
}

const MAGIC = 'PAR1';
const ENCRYPTED_MAGIC = 'PARE';
/** Length of the metadata and the magic, at the end of a file. */
const TAIL_BYTES = 8;
/** Files of 100,000 row groups and columns have less. */
const MAX_METADATA_BYTES = 1 << 26;

/** Throws ParquetFault. */
export function readMetadata(source: ByteSource): FileMetadata {
  const { byteLength } = source;
  if (byteLength < TAIL_BYTES + MAGIC.length) throw damaged(`it has only ${byteLength} bytes`);
  const tail = source.slice(byteLength - TAIL_BYTES, byteLength);
  const magic = latin1Text(tail, 4);
  if (magic === ENCRYPTED_MAGIC) throw unsupported('its metadata is encrypted; write it without encryption');
  if (magic !== MAGIC) throw damaged("it does not end with 'PAR1': it was cut off on its way");
  const length = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  const start = byteLength - TAIL_BYTES - length;
  if (start < MAGIC.length) throw damaged(`its metadata of ${length} bytes is longer than the file`);
  if (length > MAX_METADATA_BYTES)
    throw unsupported(
      `its metadata has ${length} bytes, and at most ${MAX_METADATA_BYTES} are read; write it with larger row groups`,
    );
  const bytes = source.slice(start, start + length);
  return withinMetadata(() => parse(bytes, start));
}

/** Runs `read`; a CompactEnd becomes a ParquetFault. */
export function withinMetadata<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof CompactEnd) throw damaged(error.message);
    throw error;
  }
}

function parse(bytes: Uint8Array, dataEnd: number): FileMetadata {
  const reader = new CompactReader(bytes);
  const elements: SchemaElement[] = [];
  const keys = new Map<string, string>();
  const isOrdered: boolean[] = [];
  let rowCount = -1;
  let groups: { readonly at: number; readonly type: number } | null = null;
  reader.struct((id, type) => {
    switch (id) {
      case 2:
        reader.list(type, () => elements.push(readElement(reader)));
        return true;
      case 3:
        rowCount = reader.int();
        return true;
      case 4:
        groups = { at: reader.at, type };
        return false;
      case 5:
        reader.list(type, () => readKey(reader, keys));
        return true;
      case 7:
        reader.list(type, () => {
          let isTyped = false;
          reader.struct((order) => {
            isTyped = order === 1;
            return false;
          });
          isOrdered.push(isTyped);
        });
        return true;
      case 8:
        throw unsupported('it is encrypted; write it without encryption');
      default:
        return false;
    }
  });
  if (elements.length === 0) throw damaged('its metadata has no schema');
  const found = groups as { readonly at: number; readonly type: number } | null;
  return {
    elements,
    keys,
    rowCount,
    rowGroups: (group) => {
      if (found === null) return;
      const again = new CompactReader(bytes, found.at);
      withinMetadata(() => again.list(found.type, () => group(again)));
    },
    isOrdered,
    dataEnd,
  };
}

function readElement(reader: CompactReader): SchemaElement {
  let name = '';
  let type: number | null = null;
  let typeLength = 0;
  let repetition: number = REPETITION.required;
  let childCount = 0;
  let converted: number | null = null;
  let scale = 0;
  let precision = 0;
  let logical: LogicalType | null = null;
  reader.struct((id, fieldType) => {
    switch (id) {
      case 1:
        type = reader.int();
        return true;
      case 2:
        typeLength = reader.int();
        return true;
      case 3:
        repetition = reader.int();
        return true;
      case 4:
        name = reader.text(fieldType);
        return true;
      case 5:
        childCount = reader.int();
        return true;
      case 6:
        converted = reader.int();
        return true;
      case 7:
        scale = reader.int();
        return true;
      case 8:
        precision = reader.int();
        return true;
      case 10:
        if (fieldType !== T.struct) return false;
        logical = readLogical(reader);
        return true;
      default:
        return false;
    }
  });
  return {
    name,
    type,
    typeLength,
    repetition,
    childCount,
    logical: logical ?? logicalOf(converted, scale, precision),
  };
}

function readKey(reader: CompactReader, keys: Map<string, string>): void {
  let key = '';
  let value = '';
  reader.struct((id, type) => {
    if (id === 1) key = reader.text(type);
    else if (id === 2) value = reader.text(type);
    else return false;
    return true;
  });
  keys.set(key, value);
}

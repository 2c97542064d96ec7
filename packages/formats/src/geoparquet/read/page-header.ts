/** The header of a page of a column. */
import { type CompactReader, T } from '../bytes/compact-reader.ts';
import { damaged, unsupported } from '../fault.ts';
import type { SchemaNode } from './schema.ts';

export interface PageHeader {
  type: number;
  unpackedBytes: number;
  packedBytes: number;
  valueCount: number;
  encoding: number;
  /** Of the levels of a page of version 1. */
  definitionEncoding: number;
  repetitionEncoding: number;
  /** Of version 2. */
  rowCount: number;
  definitionBytes: number;
  repetitionBytes: number;
  isPacked: boolean;
}

export const DATA_PAGE = 0;
export const DICTIONARY_PAGE = 2;
export const DATA_PAGE_V2 = 3;
/** DuckDB writes pages of up to 100 MB. */
const MAX_PAGE_BYTES = 1 << 28;
const MAX_PAGE_VALUES = 1 << 24;

export function readPageHeader(reader: CompactReader): PageHeader {
  const header: PageHeader = {
    type: -1,
    unpackedBytes: -1,
    packedBytes: -1,
    valueCount: 0,
    encoding: -1,
    definitionEncoding: -1,
    repetitionEncoding: -1,
    rowCount: -1,
    definitionBytes: 0,
    repetitionBytes: 0,
    isPacked: true,
  };
  reader.struct((id, type) => {
    if (id === 1) header.type = reader.int();
    else if (id === 2) header.unpackedBytes = reader.int();
    else if (id === 3) header.packedBytes = reader.int();
    else if ((id === 5 || id === 7) && type === T.struct)
      reader.struct((field) => {
        if (field > (id === 5 ? 4 : 2)) return false;
        const value = reader.int();
        if (field === 1) header.valueCount = value;
        else if (field === 2) header.encoding = value;
        else if (field === 3) header.definitionEncoding = value;
        else header.repetitionEncoding = value;
        return true;
      });
    else if (id === 8 && type === T.struct)
      reader.struct((field, fieldType) => {
        if (field === 7) header.isPacked = reader.boolean(fieldType);
        else if (field > 6) return false;
        else {
          const value = reader.int();
          if (field === 1) header.valueCount = value;
          else if (field === 3) header.rowCount = value;
          else if (field === 4) header.encoding = value;
          else if (field === 5) header.definitionBytes = value;
          else if (field === 6) header.repetitionBytes = value;
        }
        return true;
      });
    else return false;
    return true;
  });
  return header;
}

export function checkHeader(header: PageHeader, { name }: SchemaNode): void {
  const { unpackedBytes, packedBytes, valueCount, definitionBytes, repetitionBytes } = header;
  if (Math.min(unpackedBytes, packedBytes, valueCount, definitionBytes, repetitionBytes) < 0)
    throw damaged(`the head of a page of column '${name}' has a negative size`);
  if (unpackedBytes > MAX_PAGE_BYTES || packedBytes > MAX_PAGE_BYTES)
    throw unsupported(
      `a page of column '${name}' has ${unpackedBytes} bytes, and at most ${MAX_PAGE_BYTES} are read; write it with smaller row groups`,
    );
  if (valueCount > MAX_PAGE_VALUES)
    throw unsupported(
      `a page of column '${name}' has ${valueCount} values, and at most ${MAX_PAGE_VALUES} are read; write it with smaller row groups`,
    );
}

/** Reads what is before and after the rows of a sheet. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { NameTable } from '@geomill/core/text/xml-names.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { SheetNotes } from './sheet-notes.ts';
import { XmlParts } from './xml-parts.ts';

const NAMES = new NameTable(['sheetData', 'mergeCell', 'mergeCells'] as const);
const REFERENCE = new TextEncoder().encode('ref');

/** Where the rows of a sheet are. */
export interface RowsPlace {
  /** Offset after the start tag of sheetData. */
  readonly start: number;
  /** Names of the root and of sheetData, with their prefixes. */
  readonly open: readonly Uint8Array[];
}

/** Null: the sheet has no rows. Throws XML_SYNTAX and LIMIT_EXCEEDED. */
export function findRows(source: ByteSource, name: string, notes: SheetNotes): RowsPlace | null {
  const parts = new XmlParts(source, name);
  const open: Uint8Array[] = [];
  let start = -1;
  parts.read((scanner, at) => {
    if (scanner.isEnd) return at;
    if (depthOf(scanner) === 1) {
      open.push(nameOf(scanner));
      return at;
    }
    if (depthOf(scanner) === 2 && !scanner.isEmpty && NAMES.find(scanner) === 'sheetData') {
      open.push(nameOf(scanner));
      start = parts.base + at;
      return -1;
    }
    return noteMerged(scanner, at, notes);
  });
  return start < 0 ? null : { start, open };
}

/** Reads from `from`, the offset after the end tag of sheetData, to the end. Throws XML_SYNTAX and LIMIT_EXCEEDED; `refuse`: for rows that are there. */
export function readAfterRows(
  source: ByteSource,
  name: string,
  from: number,
  { open: [root] }: RowsPlace,
  notes: SheetNotes,
  refuse: () => Error,
): void {
  new XmlParts(source, name).read(
    (scanner, at) => {
      if (scanner.isEnd) return at;
      if (depthOf(scanner) === 2 && !scanner.isEmpty && NAMES.find(scanner) === 'sheetData') throw refuse();
      return noteMerged(scanner, at, notes);
    },
    from,
    [root],
  );
}

function noteMerged(scanner: XmlScanner, at: number, notes: SheetNotes): number {
  const name = NAMES.find(scanner);
  if (depthOf(scanner) === 3 && name === 'mergeCell')
    notes.addMerged(scanner.attributeText(REFERENCE, new ByteWriter(64)) ?? '');
  return depthOf(scanner) === 2 && name === 'mergeCells' ? at : scanner.skip(at);
}

const depthOf = ({ isEmpty, depth }: XmlScanner): number => (isEmpty ? depth + 1 : depth);

const nameOf = ({ bytes, prefixStart, nameEnd }: XmlScanner): Uint8Array => bytes.slice(prefixStart, nameEnd);

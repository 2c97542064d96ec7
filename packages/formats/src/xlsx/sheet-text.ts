/**
 * Writes a sheet as a table of text to a file of the job. The sheet is read in pieces, by threads if it is large, while it is
 * still being unpacked.
 */

import { createFileSink } from '@geomill/io/byte-sink.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { openSegment } from '@geomill/io/file-segment.ts';
import type { Unpacking } from '@geomill/io/unpacking.ts';
import { removeFile } from '@geomill/platform/files.ts';
import type { OpenContext, Partition } from '../reader.ts';
import type { ColumnKinds } from './column-kinds.ts';
import type { WorkbookPackage } from './package.ts';
import { invalidSheet } from './sheet-faults.ts';
import { findRows, type RowsPlace, readAfterRows } from './sheet-frame.ts';
import { SheetNotes } from './sheet-notes.ts';
import { SheetPass } from './sheet-pass.ts';
import type { Workbook } from './workbook.ts';

/** The start of a sheet, which usually has its first row. */
const HEAD_BYTES = 1 << 22;

export interface SheetText {
  readonly path: string;
  readonly kinds: ColumnKinds;
  readonly notes: SheetNotes;
  readonly partitions: readonly Partition[];
}

interface Sheet {
  readonly name: string;
  readonly unpacking: Unpacking;
}

type Context = Pick<OpenContext, 'partitionBytes' | 'threads'>;

/** Bytes of the text of a sheet. Cells can repeat a shared text, so the size of the sheet in the archive does not bound them. */
class TextCount {
  readonly #parts: WorkbookPackage;
  readonly #what: string;
  readonly #sheetBytes: number;
  #bytes = 0;
  #valueBytes = 0;

  constructor(parts: WorkbookPackage, sheet: string, sheetBytes: number) {
    this.#parts = parts;
    this.#what = `sheet '${sheet.slice(0, 60)}' of ${parts.name} as text`;
    this.#sheetBytes = sheetBytes;
  }

  /** `separators`: a column that only one row has adds one to every row, so only the total is bounded. Throws LIMIT_EXCEEDED. */
  readonly add = (byteLength: number, separators: number): void => {
    this.#bytes += byteLength;
    this.#valueBytes += Math.max(0, byteLength - separators);
    const { budget } = this.#parts;
    budget.checkRatio(this.#what, this.#valueBytes, this.#sheetBytes);
    budget.countBytes(this.#what, byteLength);
  };

  /** The text was removed. */
  forget(): void {
    this.#parts.budget.countBytes(this.#what, -this.#bytes);
    this.#bytes = 0;
    this.#valueBytes = 0;
  }
}

/** Notes alone: no cell has a value, but some are errors or formulas without one. Null: the sheet has no cells. Throws XLSX_INVALID, XML_SYNTAX, LIMIT_EXCEEDED and ZIP_INVALID. */
export async function writeSheetText(
  parts: WorkbookPackage,
  workbook: Workbook,
  sheet: Sheet,
  context: Context,
): Promise<SheetText | SheetNotes | null> {
  let text: SheetText | SheetNotes | null;
  try {
    text = await textOf(parts, workbook, sheet, context);
  } catch (error) {
    // Damaged data can look like broken XML: then this error is the right one.
    await sheet.unpacking.done;
    throw error;
  }
  await sheet.unpacking.done;
  return text;
}

async function textOf(
  parts: WorkbookPackage,
  { is1904, formats, strings }: Workbook,
  { name: sheet, unpacking }: Sheet,
  { partitionBytes, threads }: Context,
): Promise<SheetText | SheetNotes | null> {
  const { segment } = unpacking;
  const { place, notes } = await rowsOf(unpacking);
  if (place === null) return null;
  const { open, start } = place;
  const setting = { is1904, formats, strings, fileName: parts.name, sheet, partitionBytes, segment, open };
  const counted = new TextCount(parts, sheet, segment.byteLength);
  const area = { unpacking, start, count: counted.add, threads };
  let width = await SheetPass.guessWidth(setting, area);
  for (;;) {
    const path = parts.scratchPath('sheet.txt');
    const sink = createFileSink(path);
    const pass = new SheetPass({ ...setting, width }, area, sink);
    try {
      await pass.run();
    } finally {
      sink.close();
    }
    if (pass.columnCount === 0) {
      notes.cells.add(pass.notes);
      return notes.cells.hasLostValues ? notes : null;
    }
    if (pass.columnCount <= width) {
      await unpacking.done;
      using source = openSegment(segment);
      const refuse = (): Error => invalidSheet(parts.name, sheet, 'there is a second list of rows');
      readAfterRows(source, segment.name, pass.next, place, notes, refuse);
      notes.cells.add(pass.notes);
      return { path, kinds: pass.kinds, notes, partitions: partitionsOf(pass.starts, sink.byteLength) };
    }
    // A later row has more columns: once more with all of them.
    removeFile(path);
    counted.forget();
    width = pass.columnCount;
  }
}

function partitionsOf(starts: readonly number[], byteLength: number): Partition[] {
  return starts.map((start, i) => ({ start: i === 0 ? 0 : start, end: starts[i + 1] ?? byteLength }));
}

/** Reads what is before the rows; once more if that is longer than what is unpacked by then. */
async function rowsOf(unpacking: Unpacking): Promise<{ place: RowsPlace | null; notes: SheetNotes }> {
  const { segment } = unpacking;
  for (let byteLength = HEAD_BYTES; ; byteLength *= 4) {
    await unpacking.reach(byteLength);
    using source = openSegment(segment);
    const notes = new SheetNotes();
    try {
      return { place: findRows(beginning(source, byteLength), segment.name, notes), notes };
    } catch (error) {
      if (!(error instanceof NotUnpacked)) throw error;
    }
  }
}

class NotUnpacked extends Error {}

/** The source, of which only so many bytes can be read yet. */
function beginning(source: ByteSource, available: number): ByteSource {
  return {
    ...source,
    readInto(target, start) {
      if (start + target.length > available) throw new NotUnpacked();
      source.readInto(target, start);
    },
  };
}

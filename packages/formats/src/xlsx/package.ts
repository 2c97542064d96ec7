/** The parts of a workbook: members of a zip archive that relationships connect (ECMA-376 part 2). */

import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import type { FileSegment } from '@geomill/io/file-segment.ts';
import { UnpackBudget } from '@geomill/io/unpack-budget.ts';
import { Unpacking } from '@geomill/io/unpacking.ts';
import { isZip } from '@geomill/io/zip-names.ts';
import {
  entrySegment,
  isStored,
  readZipDirectory,
  unpackEntry,
  type ZipEntry,
} from '@geomill/io/zip-read.ts';
import { byteView, compareBytes } from '@geomill/platform/bytes.ts';
import { makeNewDirectory, removeFile } from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { HEAD_BYTES } from '../content.ts';
import type { InputFile, OpenContext } from '../reader.ts';
import { lookOf, lookOfMembers } from '../recognise.ts';
import { xlsxErrors } from './messages.ts';
import { eachElement } from './xml-part.ts';

const MAGIC = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);
/** Sectors of the directory that are searched: its first entries name the streams. */
const SEARCH_BYTES = 4096;
/** Stream of an encrypted package ([MS-OFFCRYPTO] 2.3.4.4). */
const ENCRYPTED = Uint8Array.from(
  'EncryptedPackage'.split('').flatMap((letter) => [letter.charCodeAt(0), 0]),
);

/** Whether the file is an Office document of XML parts that is encrypted. */
function isEncryptedDocument(source: ByteSource): boolean {
  const head = source.slice(0, 512);
  if (head.length < 512 || compareBytes(MAGIC, head.subarray(0, MAGIC.length)) !== 0) return false;
  const view = new DataView(head.buffer, head.byteOffset);
  const sectorShift = view.getUint16(30, true);
  if (sectorShift !== 9 && sectorShift !== 12) return false;
  const start = (view.getUint32(48, true) + 1) * 2 ** sectorShift;
  const directory = source.slice(start, start + SEARCH_BYTES);
  return byteView(directory).indexOf(ENCRYPTED) >= 0;
}

/** Relationships of a part. */
export interface Relationship {
  readonly id: string;
  /** The last step of the type: "worksheet"; the same in both namespaces. */
  readonly type: string;
  /** Path of the part in the archive; null: it is outside. */
  readonly path: string | null;
}

export class WorkbookPackage {
  readonly name: string;
  /** What the parts and the texts of sheets may still take. */
  readonly budget: UnpackBudget;
  readonly #path: string;
  readonly #directory: string;
  readonly #entries = new Map<string, ZipEntry>();
  #unpackedCount = 0;

  private constructor(
    file: InputFile,
    entries: readonly ZipEntry[],
    directory: string,
    budget: UnpackBudget,
  ) {
    this.name = file.name;
    this.budget = budget;
    this.#path = file.path;
    this.#directory = directory;
    for (const entry of entries) this.#entries.set(entry.name.toLowerCase(), entry);
  }

  /** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, XLSX_ENCRYPTED and the errors of reading a zip. */
  static async open(file: InputFile, context: OpenContext): Promise<WorkbookPackage> {
    using source = openFileSource(file.path);
    if (source.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: file.name });
    const head = source.slice(0, HEAD_BYTES);
    if (isEncryptedDocument(source)) throw failure(xlsxErrors.XLSX_ENCRYPTED, { source: file.name });
    if (!isZip(head)) throw wrongFormat(file.name, lookOf(head));
    const budget = new UnpackBudget(context.limits, context.scratch?.unpacked);
    const entries = await readZipDirectory(file.path, file.name, budget);
    const names = entries.map(({ name }) => name);
    const binary = names.find((name) => /^xl\/workbook\.bin$/i.test(name));
    if (binary !== undefined) throw wrongFormat(file.name, 'XLSB, a binary workbook; save it as .xlsx');
    const directory = makeNewDirectory(joinedPath(context.scratchDirectory, 'xlsx-'));
    const parts = new WorkbookPackage(file, entries, directory, budget);
    if (!parts.has('_rels/.rels') && !parts.has('xl/workbook.xml'))
      throw wrongFormat(file.name, lookOfMembers(names) ?? 'a zip archive without a workbook');
    return parts;
  }

  /** Paths are compared without case, as the standard says. */
  has(path: string): boolean {
    return this.#entries.has(path.toLowerCase());
  }

  invalid(reason: string): GeomillError {
    return failure(xlsxErrors.XLSX_INVALID, { source: this.name, reason });
  }

  wrongFormat(): GeomillError {
    const names = [...this.#entries.values()].map(({ name }) => name);
    return wrongFormat(this.name, lookOfMembers(names) ?? 'another kind of zip archive');
  }

  /** The path of a file of the directory of the job. */
  scratchPath(name: string): string {
    return joinedPath(this.#directory, `${this.#unpackedCount++}-${name}`);
  }

  /** Throws XLSX_INVALID and ZIP_INVALID. */
  async unpack(path: string): Promise<FileSegment> {
    return unpackEntry(this.#path, this.#entry(path), this.name, this.scratchPath('part.xml'));
  }

  /** Begins to unpack a part. Throws XLSX_INVALID. */
  beginUnpacking(path: string): Unpacking {
    const entry = this.#entry(path);
    const target = this.scratchPath('part.xml');
    const segment = entrySegment(this.#path, entry, this.name, target);
    return new Unpacking(segment, (advance) => unpackEntry(this.#path, entry, this.name, target, advance));
  }

  #entry(path: string): ZipEntry {
    const entry = this.#entries.get(path.toLowerCase());
    if (entry === undefined) throw this.invalid(`the part '${path}' is missing`);
    return entry;
  }

  /** Deletes what was unpacked. */
  release(path: string, segment: FileSegment): void {
    const entry = this.#entries.get(path.toLowerCase());
    if (entry !== undefined && !isStored(entry)) removeFile(segment.path);
  }

  /** The relationships of a part; '' : those of the package. Empty if it has none. */
  async relationships(part: string): Promise<Relationship[]> {
    const folder = part.slice(0, part.lastIndexOf('/') + 1);
    const path = `${folder}_rels/${part.slice(folder.length)}.rels`;
    if (!this.has(path)) return [];
    const found: Relationship[] = [];
    const segment = await this.unpack(path);
    eachElement(segment, (element) => {
      if (element.name !== 'Relationship') return;
      const target = element.attribute('Target') ?? '';
      const isOutside = element.attribute('TargetMode') === 'External';
      found.push({
        id: element.attribute('Id') ?? '',
        type: (element.attribute('Type') ?? '').replace(/^.*\//, ''),
        path: isOutside ? null : resolvePath(folder, target),
      });
    });
    return found;
  }
}

/** A target that begins with '/' is a path from the root of the package. */
function resolvePath(folder: string, target: string): string {
  const steps: string[] = [];
  const whole = target.startsWith('/') ? target : folder + target;
  for (const step of whole.replaceAll('\\', '/').split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

function wrongFormat(source: string, found: string): GeomillError {
  return failure(generalErrors.INPUT_WRONG_FORMAT, { source, expected: 'an XLSX workbook', found });
}

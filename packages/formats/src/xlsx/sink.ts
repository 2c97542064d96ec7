/** Collects encoded rows into the sheets of a workbook. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { OutputMember } from '@geomill/io/output-package.ts';
import { MAX_MEMBER_BYTES } from '@geomill/io/zip-directory.ts';
import { ZipWriter } from '@geomill/io/zip-write.ts';
import type { OutputFile, OutputSink, WriteContext } from '../writer.ts';
import { MAX_ROWS } from './column-kinds.ts';
import { numberRows, type RowChunk, type SheetEncoding } from './encode.ts';
import { xlsxErrors } from './messages.ts';
import {
  commentsPath,
  commentsXml,
  drawingPath,
  drawingXml,
  type SheetFacts,
  sheetRelationships,
} from './sheet-facts.ts';
import {
  contentTypes,
  packageRelationships,
  sheetEnd,
  sheetHead,
  sheetPath,
  stylesXml,
  workbookRelationships,
  workbookXml,
} from './workbook-parts.ts';

const encoder = new TextEncoder();

export class XlsxSink implements OutputSink {
  readonly #path: string;
  readonly #sheets: readonly SheetEncoding[];
  readonly #facts: readonly (SheetFacts | null)[];
  readonly #archive: ZipWriter;
  /** Of the sheets that were begun; the last one is open. */
  readonly #members: OutputMember[] = [];
  /** Rows of the open sheet, with the header. */
  #rowCount = 0;

  /** `facts`: by sheet; null: nothing is known of its fields. */
  constructor(
    path: string,
    sheets: readonly SheetEncoding[],
    facts: readonly (SheetFacts | null)[],
    { expected, packer, time }: WriteContext,
  ) {
    this.#path = path;
    this.#sheets = sheets;
    this.#facts = facts;
    this.#archive = new ZipWriter(path, { expected, packer, time });
    // Programs that look only at the first bytes recognise a workbook by the name of its first part.
    this.#addPart('[Content_Types].xml', contentTypes(sheets.length, this.#noted()));
    this.#addPart('_rels/.rels', packageRelationships());
    this.#addPart('xl/workbook.xml', workbookXml(sheets.map(({ sheet }) => attributeValue(sheet))));
    this.#addPart('xl/_rels/workbook.xml.rels', workbookRelationships(sheets.length));
    this.#addPart('xl/styles.xml', stylesXml());
    for (const number of this.#noted()) this.#addNotes(number);
  }

  append(layerIndex: number, chunk: unknown): void {
    const { bytes, numberOffsets } = chunk as RowChunk;
    const member = this.#openSheet(layerIndex);
    const { sheet } = this.#sheets[layerIndex];
    numberRows(chunk as RowChunk, this.#rowCount + 1);
    this.#rowCount += numberOffsets.length;
    if (this.#rowCount > MAX_ROWS)
      throw failure(xlsxErrors.XLSX_TOO_MANY_ROWS, {
        sheet,
        actual: `at least ${this.#rowCount}`,
        limit: MAX_ROWS,
      });
    if (member.byteLength + bytes.length + this.#end(layerIndex).length >= MAX_MEMBER_BYTES)
      throw failure(xlsxErrors.XLSX_TOO_LARGE, { sheet });
    member.append(bytes);
  }

  async finish(): Promise<OutputFile> {
    if (this.#sheets.length > 0) this.#openSheet(this.#sheets.length - 1);
    this.#endSheet();
    return { path: this.#path, byteLength: await this.#archive.finish() };
  }

  abort(): void {
    this.#archive.abort();
  }

  /** Begins a sheet, and before it those without features. */
  #openSheet(index: number): OutputMember {
    while (this.#members.length <= index) {
      this.#endSheet();
      const number = this.#members.length + 1;
      const member = this.#addPart(sheetPath(number), sheetHead(this.#hasNotes(number)));
      member.append(Uint8Array.from(this.#sheets[number - 1].header));
      this.#members.push(member);
      this.#rowCount = 1;
    }
    return this.#members[index];
  }

  #endSheet(): void {
    this.#members.at(-1)?.append(encoder.encode(this.#end(this.#members.length - 1)));
  }

  /** The text after the rows of a sheet. */
  #end(index: number): string {
    return sheetEnd(this.#facts[index]?.validations ?? '', this.#hasNotes(index + 1));
  }

  #hasNotes(number: number): boolean {
    return (this.#facts[number - 1]?.notes.length ?? 0) > 0;
  }

  /** Numbers of the sheets with notes. */
  #noted(): number[] {
    return this.#sheets.map((_, i) => i + 1).filter((number) => this.#hasNotes(number));
  }

  #addNotes(number: number): void {
    const facts = this.#facts[number - 1];
    if (facts === null) return;
    this.#addPart(`xl/worksheets/_rels/sheet${number}.xml.rels`, sheetRelationships(number));
    this.#addPart(commentsPath(number), commentsXml(facts));
    this.#addPart(drawingPath(number), drawingXml(facts));
  }

  #addPart(name: string, text: string): OutputMember {
    const member = this.#archive.addMember(name, 0);
    member.append(encoder.encode(text));
    return member;
  }
}

/** A name of a sheet, which has no control characters. */
function attributeValue(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

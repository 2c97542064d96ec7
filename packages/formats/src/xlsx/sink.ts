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
  contentTypes,
  packageRelationships,
  SHEET_END,
  SHEET_HEAD,
  sheetPath,
  stylesXml,
  workbookRelationships,
  workbookXml,
} from './workbook-parts.ts';

const encoder = new TextEncoder();

export class XlsxSink implements OutputSink {
  readonly #path: string;
  readonly #sheets: readonly SheetEncoding[];
  readonly #archive: ZipWriter;
  /** Of the sheets that were begun; the last one is open. */
  readonly #members: OutputMember[] = [];
  /** Rows of the open sheet, with the header. */
  #rowCount = 0;

  constructor(path: string, sheets: readonly SheetEncoding[], { expected, packer, time }: WriteContext) {
    this.#path = path;
    this.#sheets = sheets;
    this.#archive = new ZipWriter(path, { expected, packer, time });
    // Programs that look only at the first bytes recognise a workbook by the name of its first part.
    this.#addPart('[Content_Types].xml', contentTypes(sheets.length));
    this.#addPart('_rels/.rels', packageRelationships());
    this.#addPart('xl/workbook.xml', workbookXml(sheets.map(({ sheet }) => attributeValue(sheet))));
    this.#addPart('xl/_rels/workbook.xml.rels', workbookRelationships(sheets.length));
    this.#addPart('xl/styles.xml', stylesXml());
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
    if (member.byteLength + bytes.length + SHEET_END.length >= MAX_MEMBER_BYTES)
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
      const member = this.#addPart(sheetPath(number), SHEET_HEAD);
      member.append(Uint8Array.from(this.#sheets[number - 1].header));
      this.#members.push(member);
      this.#rowCount = 1;
    }
    return this.#members[index];
  }

  #endSheet(): void {
    this.#members.at(-1)?.append(encoder.encode(SHEET_END));
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

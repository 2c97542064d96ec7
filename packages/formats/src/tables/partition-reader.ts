/**
 * Reads a table of text into batches, one partition at a time: first it finds the cells, then it reads the geometries, then each
 * column.
 */

import { invalidUtf8At, UTF8 } from '@geomill/core/bytes/utf8.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE_FINDINGS, type GeometryNoteFinding } from '@geomill/core/geometry/geometry-notes.ts';
import { failure, GeomillError, type Location } from '@geomill/core/messages/errors.ts';
import { MAX_LISTED, NO_ROW, RowTally } from '@geomill/core/messages/finding-rows.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { phrase } from '@geomill/core/messages/message.ts';
import { type ByteSource, openFileSource, ReusedMemory } from '@geomill/io/byte-source.ts';
import { areUtf8 } from '@geomill/platform/bytes.ts';
import type { Partition, PartitionRead, PartitionRequest } from '../reader.ts';
import { commonTableFindings } from './findings.ts';
import type { TableMessages } from './messages.ts';
import { BLANK_LINE, MALFORMED, RecordScanner, TRUNCATED } from './records.ts';
import { type Contradiction, type RowChecker, rowChecker, type WrongCell } from './row-checks.ts';
import { geometryColumns, rowGeometry } from './row-geometry.ts';
import type { RowGeometry } from './row-reader.ts';
import type { TableState } from './state.ts';
import { invalidText } from './transcode.ts';
import { misfitsOf } from './type-misfits.ts';
import { inferType, isEmptyColumn, readColumn } from './typing.ts';

/** Bytes first read after a partition's end, for the record that crosses it. */
const LOOKAHEAD_BYTES = 64 << 10;
/** Minimum for the text of most files: allocating once avoids copies while arrays grow. */
const BYTES_PER_ORDINATE = 12;
/** One record must fit into the memory of every worker at the same time. */
const MAX_RECORD_BYTES = 256 << 20;
const SHOWN_CHARACTERS = 60;
/** For the text of the partition that is read. */
const memory = new ReusedMemory();

/** Reads the records of a table that begin in the partition. Throws the errors of `messages` and LIMIT_EXCEEDED. */
export function readTable(
  state: TableState,
  partition: Partition,
  request: PartitionRequest,
  messages: TableMessages,
): PartitionRead {
  using source = openFileSource(state.path);
  return new PartitionReader(state, source, partition, request, messages).read();
}

class PartitionReader {
  readonly #state: TableState;
  readonly #source: ByteSource;
  readonly #partition: Partition;
  readonly #request: PartitionRequest;
  readonly #messages: TableMessages;
  readonly #scanner: RecordScanner;
  readonly #geometry = new GeometryBuilder();
  readonly #rowGeometry: RowGeometry;
  readonly #checkers: readonly RowChecker[];
  readonly #findings = new Findings();
  readonly #noteCounts = new Map<GeometryNoteFinding, number>();
  readonly #missing = new RowTally();
  readonly #zero = new RowTally();
  /** Numbers of the records that are not kept. */
  readonly #skipped: number[] = [];
  #lookahead = LOOKAHEAD_BYTES;
  #recordCount = 0;
  /** Line on which the current record begins, from 1 within the partition. */
  #line = 1;
  #srid = 0;
  #sridCount = 0;
  #sridLocation: Location = {};
  #positionsBefore = 0;

  constructor(
    state: TableState,
    source: ByteSource,
    partition: Partition,
    request: PartitionRequest,
    messages: TableMessages,
  ) {
    this.#state = state;
    this.#source = source;
    this.#partition = partition;
    this.#request = request;
    this.#messages = messages;
    const bytes = this.#load();
    this.#geometry.reserve(Math.ceil(bytes.length / BYTES_PER_ORDINATE));
    this.#rowGeometry = rowGeometry(state.geometry, this.#geometry);
    this.#checkers = state.checks.map((check) => rowChecker(check, state.names, messages));
    this.#scanner = new RecordScanner(
      bytes,
      partition.start + bytes.length >= source.byteLength,
      state.delimiter,
      state.newline,
      state.names.length,
      state.geometry.kind === 'column' ? state.geometry.index : -1,
      this.#rowGeometry.scanProbe,
    );
  }

  read(): PartitionRead {
    const scanner = this.#scanner;
    const { start, end } = this.#partition;
    if (start === 0) {
      scanner.at = this.#state.dataStart.offset;
      scanner.lineCount = this.#state.dataStart.lines;
    }
    const length = end - start;
    for (let outcome = this.#next(length); outcome >= 0; outcome = this.#next(length)) {
      this.#recordCount++;
      if (outcome === MALFORMED || scanner.cellCount !== scanner.columnCount) this.#geometry.rollback();
      if (outcome === MALFORMED) this.#reject(this.#syntaxError(scanner.reason));
      else if (scanner.cellCount !== scanner.columnCount) this.#reject(this.#ragged());
      else if (this.#readGeometry()) scanner.keep();
      if (scanner.rowCount + this.#skipped.length < this.#recordCount) this.#skipped.push(this.#recordCount);
    }
    this.#checkEncoding();
    this.#listNotes();
    const fields = this.#request.fields ?? this.#inferFields();
    this.#listMisfits(fields);
    const columnOf = new Map(this.#state.names.map((name, i) => [name, i]));
    return {
      batch: {
        rowCount: scanner.rowCount,
        geometry: this.#geometry.take(),
        fields,
        columns: fields.map(({ name, type }) => {
          const index = columnOf.get(name);
          if (index === undefined)
            throw failure(generalErrors.INTERNAL, { reason: `the table has no column '${name}'` });
          return readColumn(scanner, index, type, this.#state.hasDecimalComma);
        }),
        ids: null,
      },
      nextStart: start + scanner.at,
      recordCount: this.#recordCount,
      lineCount: scanner.lineCount,
      findings: this.#findings.found(),
    };
  }

  /** Outcome (RECORD or MALFORMED) of the next record that begins before `end`; -1 if no record begins there. */
  #next(end: number): number {
    const scanner = this.#scanner;
    while (scanner.at < end && scanner.at < scanner.bytes.length) {
      this.#line = scanner.lineCount + 1;
      const outcome = scanner.next();
      if (outcome === BLANK_LINE) continue;
      if (outcome !== TRUNCATED) return outcome;
      this.#geometry.rollback();
      if (scanner.bytes.length - scanner.at > MAX_RECORD_BYTES)
        throw this.#tooLarge(
          'the length of one record in bytes (does a quote have no end?)',
          scanner.bytes.length - scanner.at,
          MAX_RECORD_BYTES,
          'fixed',
        );
      this.#lookahead *= 4;
      const bytes = this.#load();
      scanner.extend(bytes, this.#partition.start + bytes.length >= this.#source.byteLength);
    }
    return -1;
  }

  #load(): Uint8Array {
    const { start, end } = this.#partition;
    const length = Math.max(0, Math.min(end + this.#lookahead, this.#source.byteLength) - start);
    const bytes = memory.take(length).subarray(0, length);
    this.#source.readInto(bytes, start);
    return bytes;
  }

  #location(): Location {
    return { record: this.#recordCount, line: this.#line };
  }

  #syntaxError(reason: string): GeomillError {
    return this.#messages.failure('SYNTAX', { line: this.#line, reason }, this.#location());
  }

  #ragged(): GeomillError {
    const { cellCount, columnCount } = this.#scanner;
    const cells = cellCount === 1 ? '1 cell' : `${cellCount} cells`;
    const columns = this.#state.hasHeader ? 'the header has' : `the first ${this.#messages.words.line} has`;
    const reason = `the row has ${cells} where ${columns} ${columnCount}: '${this.#show(this.#firstCellStart())}'`;
    return this.#syntaxError(reason);
  }

  #firstCellStart(): number {
    return this.#scanner.starts[this.#scanner.rowCount * this.#scanner.columnCount];
  }

  /** The text from `start` to the end of its line, truncated to a few characters. */
  #show(start: number, end = this.#scanner.at): string {
    const bytes = this.#scanner.bytes.subarray(start, Math.min(end, start + SHOWN_CHARACTERS * 4));
    const line = new TextDecoder().decode(bytes).split(/[\r\n]/, 1)[0];
    return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}...` : line;
  }

  /** Drops the row if the request allows it, else throws. */
  #reject(error: GeomillError): void {
    if (this.#scanner.isUnclosed) throw error;
    if (this.#state.onError === 'fail') {
      const advice = phrase`; correct the row, or ${this.#messages.setting('on_error', 'skip')}, which skips such rows`;
      throw new GeomillError(error.entry, { ...error.params, advice }, error.location);
    }
    const isGeometry = this.#messages.is(error, 'GEOMETRY');
    const reason = isGeometry ? 'invalid geometry' : 'not as many cells as columns, or broken quotes';
    this.#findings.note(commonTableFindings.RECORD_SKIPPED, { reason }, this.#location(), 1, NO_ROW);
  }

  /** Appends the geometry of the current record; false if the row is dropped because of it. */
  #readGeometry(): boolean {
    for (const check of this.#checkers) {
      const found = check(this.#scanner, this.#scanner.rowCount);
      if (found === null) continue;
      this.#contradicted(found);
      this.#geometry.rollback();
      return false;
    }
    const geometry = this.#rowGeometry;
    const { emptyCount, zeroCount } = geometry;
    if (!geometry.read(this.#scanner)) {
      const { params, location } = this.#cell(geometry.column);
      if (geometry.lacksOrder) throw this.#messages.failure('POINT_ORDER', params, location);
      this.#reject(this.#messages.failure('GEOMETRY', { ...params, reason: geometry.reason }, location));
      return false;
    }
    const { positionCount } = this.#geometry;
    const added = positionCount - this.#positionsBefore;
    this.#positionsBefore = positionCount;
    const limit = this.#request.limits.coordinatesPerFeature;
    if (added > limit)
      throw this.#tooLarge('the number of positions of one feature', added, limit, 'MAX_FEATURE_COORDINATES');
    if (geometry.srid !== 0) this.#checkSrid(geometry.srid, geometry.column);
    if (geometry.notes !== 0) this.#note(geometry.notes);
    const { rowCount } = this.#scanner;
    if (geometry.emptyCount > emptyCount) this.#missing.add(rowCount, this.#recordCount, this.#line);
    if (geometry.zeroCount > zeroCount) this.#zero.add(rowCount, this.#recordCount, this.#line);
    return true;
  }

  /** Drops the row if only this row is wrong, and not what was decided; else throws. */
  #contradicted({ column, errorOf }: Contradiction): void {
    const error = errorOf(this.#cell(column));
    if (!this.#messages.is(error, 'GEOMETRY', 'SYNTAX')) throw error;
    this.#reject(error);
  }

  #checkSrid(srid: number, column: number): void {
    this.#sridCount++;
    if (this.#srid === 0) {
      this.#srid = srid;
      this.#sridLocation = this.#location();
    } else if (srid !== this.#srid) {
      const distance = this.#line - (this.#sridLocation.line ?? 0);
      const { line } = this.#messages.words;
      const before = distance === 1 ? `the ${line}` : `${distance} ${line}s`;
      const { params, location } = this.#cell(column);
      const other = `${before} before states ${this.#srid}`;
      throw this.#messages.failure('SRIDS', { ...params, srid, other }, location);
    }
  }

  #cell(index: number): WrongCell {
    const scanner = this.#scanner;
    const column = this.#state.names[index];
    const cell = scanner.rowCount * scanner.columnCount + index;
    const value = this.#show(scanner.starts[cell], scanner.ends[cell]);
    return {
      params: { line: this.#line, column, value },
      location: { ...this.#location(), field: column },
    };
  }

  #note(notes: number): void {
    for (const [bit, entry] of GEOMETRY_NOTE_FINDINGS) {
      if ((notes & bit) === 0) continue;
      const count = this.#noteCounts.get(entry) ?? 0;
      if (count < MAX_LISTED) this.#findings.note(entry, {}, this.#location(), 1, this.#scanner.rowCount);
      this.#noteCounts.set(entry, count + 1);
    }
  }

  #listNotes(): void {
    for (const [entry, count] of this.#noteCounts)
      if (count > MAX_LISTED) this.#findings.note(entry, {}, undefined, count - MAX_LISTED);
    if (this.#srid !== 0)
      this.#findings.note(
        commonTableFindings.SRID_STATED,
        { srid: this.#srid },
        this.#sridLocation,
        this.#sridCount,
      );
    this.#findings.noteTally(commonTableFindings.COORDINATES_MISSING, {}, this.#missing);
    this.#findings.noteTally(commonTableFindings.COORDINATES_ZERO, {}, this.#zero);
  }

  #listMisfits(fields: readonly Field[]): void {
    const { names, expected, hasDecimalComma } = this.#state;
    const texts = new Set(fields.flatMap(({ name, type }) => (type === 'string' ? [name] : [])));
    for (const one of expected) {
      const field = names[one.column];
      if (!texts.has(field)) continue;
      const such = one.hasTypes ? ', such as the text' : ', such as';
      const example = one.example === null ? {} : { example: `${such} '${one.example}'` };
      const tally = misfitsOf(this.#scanner, one, hasDecimalComma, this.#skipped);
      this.#findings.noteTally(
        commonTableFindings.TYPE_NOT_KEPT,
        { field, type: one.group, ...example },
        tally,
      );
    }
  }

  #checkEncoding(): void {
    const { bytes, at } = this.#scanner;
    if (areUtf8(bytes.subarray(0, at))) return;
    const offset = this.#partition.start + invalidUtf8At(bytes, 0, at);
    throw invalidText(this.#state.source, offset, UTF8);
  }

  #inferFields(): Field[] {
    const { names, unnamed, geometry, keepsGeometryColumns, hasDecimalComma } = this.#state;
    const taken = new Set(keepsGeometryColumns ? [] : geometryColumns(geometry));
    const fields: Field[] = [];
    for (let i = 0; i < names.length; i++) {
      if (taken.has(i) || (unnamed[i] && isEmptyColumn(this.#scanner, i))) continue;
      fields.push({ name: names[i], type: inferType(this.#scanner, i, hasDecimalComma) });
    }
    return fields;
  }

  #tooLarge(what: string, actual: number, limit: number, setting: string): GeomillError {
    return failure(generalErrors.LIMIT_EXCEEDED, { what, actual, limit, setting }, this.#location());
  }
}

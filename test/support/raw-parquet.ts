/** Writes Parquet files page by page, also such as no program writes. */
import { writeFileSync } from 'node:fs';
import { T } from '../../packages/formats/src/geoparquet/bytes/compact-reader.ts';
import { CompactWriter } from '../../packages/formats/src/geoparquet/write/compact-writer.ts';

export interface RawPage {
  readonly data: Uint8Array;
  readonly count: number;
  /** Encoding of parquet.thrift. */
  readonly encoding?: number;
  readonly isDictionary?: true;
  /** Version 2, with levels of these lengths in front. */
  readonly levels?: {
    readonly rows: number;
    readonly repetitionBytes: number;
    readonly definitionBytes: number;
  };
  /** Stated instead of the true length. */
  readonly statedBytes?: number;
}

export interface RawColumn {
  readonly name: string;
  /** Type of parquet.thrift: 1 INT32, 2 INT64, 5 DOUBLE, 6 BYTE_ARRAY, 7 FIXED_LEN_BYTE_ARRAY. */
  readonly type: number;
  /** 0 required, 1 optional, 2 repeated. */
  readonly repetition?: number;
  readonly converted?: number;
  readonly typeLength?: number;
  readonly scale?: number;
  readonly precision?: number;
  readonly pages: readonly RawPage[];
  /** Statistics: the least and the largest value. */
  readonly range?: readonly [Uint8Array, Uint8Array];
  readonly codec?: number;
}

export interface RawFile {
  readonly columns: readonly RawColumn[];
  readonly rowCount: number;
  readonly keys?: Readonly<Record<string, string>>;
  /** The file says that statistics are in the order of the types. */
  readonly isOrdered?: boolean;
}

const MAGIC = Buffer.from('PAR1');

export function rawParquet({ columns, rowCount, keys = {}, isOrdered = false }: RawFile): Buffer {
  const parts: Uint8Array[] = [MAGIC];
  let length = MAGIC.length;
  const chunks = columns.map((column) => {
    const start = length;
    let dataAt = -1;
    for (const page of column.pages) {
      const head = pageHead(page);
      if (dataAt < 0 && page.isDictionary === undefined) dataAt = length;
      parts.push(head, page.data);
      length += head.length + page.data.length;
    }
    return { start, dataAt, length: length - start };
  });
  const out = new CompactWriter();
  out.element(() => {
    out.int(1, 1);
    out.list(2, T.struct, [null, ...columns], (column) =>
      out.element(() => {
        if (column !== null) {
          out.int(1, column.type);
          if (column.typeLength !== undefined) out.int(2, column.typeLength);
          out.int(3, column.repetition ?? 0);
        }
        out.text(4, column?.name ?? 'schema');
        if (column === null) out.int(5, columns.length);
        if (column?.converted !== undefined) out.int(6, column.converted);
        if (column?.scale !== undefined) out.int(7, column.scale);
        if (column?.precision !== undefined) out.int(8, column.precision);
      }),
    );
    out.long(3, rowCount);
    out.list(4, T.struct, [null], () =>
      out.element(() => {
        out.list(1, T.struct, [...columns.entries()], ([i, { type, name, pages, range, codec = 0 }]) =>
          out.element(() => {
            out.long(2, 0);
            out.struct(3, () => {
              out.int(1, type);
              out.list(2, T.i32, [0], () => out.zigzag(0));
              out.list(3, T.binary, [name], () => out.bytes(Buffer.from(name)));
              out.int(4, codec);
              out.long(
                5,
                pages.reduce((sum, { count, isDictionary }) => sum + (isDictionary ? 0 : count), 0),
              );
              out.long(6, chunks[i].length);
              out.long(7, chunks[i].length);
              out.long(9, chunks[i].dataAt);
              if (chunks[i].dataAt > chunks[i].start) out.long(11, chunks[i].start);
              if (range !== undefined)
                out.struct(12, () => {
                  out.binary(5, range[1]);
                  out.binary(6, range[0]);
                });
            });
          }),
        );
        out.long(2, length);
        out.long(3, rowCount);
      }),
    );
    out.list(5, T.struct, Object.entries(keys), ([key, value]) =>
      out.element(() => {
        out.text(1, key);
        out.text(2, value);
      }),
    );
    if (isOrdered) out.list(7, T.struct, columns, () => out.element(() => out.struct(1, () => {})));
  });
  const metadata = out.written();
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(metadata.length);
  return Buffer.concat([...parts, metadata, tail, MAGIC]);
}

export function writeRawParquet(path: string, file: RawFile): string {
  writeFileSync(path, rawParquet(file));
  return path;
}

function pageHead({ data, count, encoding = 0, isDictionary, levels, statedBytes }: RawPage): Uint8Array {
  const head = new CompactWriter(64);
  head.element(() => {
    head.int(1, isDictionary ? 2 : levels === undefined ? 0 : 3);
    head.int(2, statedBytes ?? data.length);
    head.int(3, data.length);
    if (isDictionary)
      head.struct(7, () => {
        head.int(1, count);
        head.int(2, encoding);
      });
    else if (levels === undefined)
      head.struct(5, () => {
        head.int(1, count);
        head.int(2, encoding);
        head.int(3, 3);
        head.int(4, 3);
      });
    else
      head.struct(8, () => {
        head.int(1, count);
        head.int(2, 0);
        head.int(3, levels.rows);
        head.int(4, encoding);
        head.int(5, levels.definitionBytes);
        head.int(6, levels.repetitionBytes);
        head.boolean(7, false);
      });
  });
  return head.written();
}

/** Plain values of type BYTE_ARRAY. */
export function plainBytes(...values: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    values.flatMap((value) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(value.length);
      return [length, value];
    }),
  );
}

export function pointWkb(x: number, y: number): Buffer {
  const bytes = Buffer.alloc(21);
  bytes.writeUInt8(1);
  bytes.writeUInt32LE(1, 1);
  bytes.writeDoubleLE(x, 5);
  bytes.writeDoubleLE(y, 13);
  return bytes;
}

/** A required column of points, one for each row. */
export function pointColumn(rowCount: number, name = 'geometry'): RawColumn {
  const points = Array.from({ length: rowCount }, (_, i) => pointWkb(i, i + 0.5));
  return { name, type: 6, pages: [{ data: plainBytes(...points), count: rowCount }] };
}

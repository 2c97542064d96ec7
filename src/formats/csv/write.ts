/** Writes batches as one CSV file: RFC 4180 with LF, a header, and the geometry as the last column. */

import type { FeatureBatch } from '../../batch/feature-batch.ts';
import type { GeometryColumn } from '../../batch/geometry-column.ts';
import { fillMissingOrdinates } from '../../batch/missing-ordinates.ts';
import type { Field } from '../../batch/schema.ts';
import { COMMA } from '../../bytes/ascii.ts';
import { ByteWriter } from '../../bytes/byte-writer.ts';
import { failure } from '../../errors.ts';
import { Findings } from '../../findings.ts';
import { OutputFileSink } from '../../io/output-file.ts';
import type {
  EncodedChunk,
  FormatWriter,
  LayerEncoding,
  OutputFile,
  OutputLayer,
  OutputSink,
  WriteContext,
} from '../format.ts';
import { delimiterOption } from './delimiter.ts';
import { type CsvEncoding, encodeRows, writeTextCell } from './encode.ts';

const GEOMETRY_COLUMN = 'geom_wkt';
/** Decimal digits that a double always holds; further digits of computed coordinates are noise. */
const COMPUTED_DIGITS = 15;

export const writer: FormatWriter = {
  needs: 'fields',
  plan: (layers, context) => layers.map((layer) => planLayer(layer, context)),
  encode(batch, encoding): EncodedChunk {
    const state = encoding.state as CsvEncoding;
    const findings = new Findings();
    const data = encodeRows({ ...batch, geometry: wholeOrdinates(batch, findings) }, state);
    if (batch.ids !== null) findings.note('IDS_DROPPED', { format: 'this CSV' }, undefined, batch.rowCount);
    return { data, transfer: [data.buffer], findings: findings.list() };
  },
  createSink: (path, encodings): OutputSink => new CsvSink(path, encodings),
};

/**
 * WKT has no notation for a Z or M that is missing at some positions. GDAL and programs based on it read no geometry at
 * all if it contains NaN.
 */
function wholeOrdinates(batch: FeatureBatch, findings: Findings): GeometryColumn {
  const { geometry, rowsFilledZ, rowsFilledM } = fillMissingOrdinates(batch.geometry);
  if (rowsFilledZ > 0)
    findings.note('ORDINATE_FILLED', { format: 'WKT', ordinate: 'Z' }, undefined, rowsFilledZ);
  if (rowsFilledM > 0)
    findings.note('ORDINATE_FILLED', { format: 'WKT', ordinate: 'M' }, undefined, rowsFilledM);
  return geometry;
}

function planLayer(layer: OutputLayer, context: WriteContext): LayerEncoding {
  const { fields } = layer;
  if (fields === null) throw failure('INTERNAL', { reason: 'the CSV writer got no fields' });
  const { findings, options } = context;
  const delimiter = delimiterOption(options.delimiter) ?? COMMA;
  const names = columnNames(fields, layer.name, findings);
  for (const { name, type } of fields)
    if (type === 'binary')
      findings.note('FIELD_RETYPED', { field: name, layer: layer.name, from: type, to: 'base64 text' });
  const { authority, definition } = layer.crs;
  const isWgs84 = authority?.name === 'EPSG' && authority.code === '4326';
  if (!isWgs84)
    findings.note('CRS_NOT_WRITTEN', {
      crs: definition,
      reason: 'CSV cannot store it; pass it on with the file',
    });
  const columns = [...names, GEOMETRY_COLUMN];
  const state: CsvEncoding = {
    delimiter,
    significantDigits:
      (options.precision as number | undefined) ?? (layer.coordinatesComputed ? COMPUTED_DIGITS : null),
    header: headerLine(columns, delimiter),
  };
  return { fields, state };
}

/** The column names for the fields; a field named like the geometry column gets another name. */
function columnNames(fields: readonly Field[], layer: string, findings: Findings): string[] {
  const taken = new Set(fields.map(({ name }) => name));
  return fields.map(({ name }) => {
    if (name !== GEOMETRY_COLUMN) return name;
    let to = `${name}_1`;
    for (let n = 2; taken.has(to); n++) to = `${name}_${n}`;
    findings.note('FIELD_RENAMED', { from: name, layer, to });
    return to;
  });
}

/**
 * A single column is followed by a delimiter in the header and in every row: GDAL opens no CSV without a delimiter, and
 * a row without a geometry would be a blank line.
 */
function headerLine(names: readonly string[], delimiter: number): string {
  const line = new ByteWriter(1024);
  const encoder = new TextEncoder();
  names.forEach((name, i) => {
    if (i > 0) line.uint8(delimiter);
    const bytes = encoder.encode(name);
    writeTextCell(line, bytes, 0, bytes.length, delimiter);
  });
  if (names.length === 1) line.uint8(delimiter);
  return `${new TextDecoder('utf-8', { ignoreBOM: true }).decode(line.written())}\n`;
}

class CsvSink implements OutputSink {
  readonly #path: string;
  readonly #file: OutputFileSink;

  constructor(path: string, encodings: readonly LayerEncoding[]) {
    if (encodings.length !== 1)
      throw failure('INTERNAL', { reason: `a CSV holds one layer, not ${encodings.length}` });
    this.#path = path;
    this.#file = new OutputFileSink(path);
    this.#file.append(new TextEncoder().encode((encodings[0].state as CsvEncoding).header));
  }

  append(_layerIndex: number, chunk: unknown): void {
    this.#file.append(chunk as Uint8Array);
  }

  async finish(): Promise<OutputFile> {
    return { path: this.#path, byteLength: this.#file.finish() };
  }

  abort(): void {
    this.#file.abort();
  }
}

/** Writes batches as one CSV file: RFC 4180 with LF, a header, and the geometry as the last column or columns. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { COMMA } from '@geomill/core/text/ascii.ts';
import { OutputFileSink } from '@geomill/io/output-file.ts';
import { coordinateRounding, noteRounding } from '../coordinate-digits.ts';
import { formatFindings } from '../findings.ts';
import { delimiterOption } from '../tables/delimiter.ts';
import {
  columnNames,
  geometryForm,
  geometryNames,
  noteCrs,
  noteTexts,
  type PointsOnly,
  writtenGeometry,
} from '../tables/geometry-output.ts';
import type {
  EncodedChunk,
  FormatWriter,
  LayerEncoding,
  OutputFile,
  OutputLayer,
  OutputSink,
  WriteContext,
} from '../writer.ts';
import { type CsvEncoding, encodeRows, writeTextCell } from './encode.ts';
import { csvErrors } from './messages.ts';

const pointsOnly: PointsOnly = (found, location) => failure(csvErrors.CSV_POINTS_ONLY, { found }, location);

export const writer: FormatWriter = {
  // Only all features show whether there is a Z, and whether all of them are points.
  needs: ({ geometry }) => (geometry === 'xy' ? 'statistics' : 'fields'),
  plan: (layers, context) => layers.map((layer) => planLayer(layer, context)),
  encode(batch, encoding, isSpent): EncodedChunk {
    const state = encoding.state as CsvEncoding;
    const findings = new Findings();
    const geometry = writtenGeometry(batch, state.geometry, findings, 'a CSV', pointsOnly);
    const data = encodeRows({ ...batch, geometry }, state, isSpent);
    if (state.geometry !== 'none') noteRounding(batch, state.rounding, findings);
    if (batch.ids !== null)
      findings.note(formatFindings.IDS_DROPPED, { format: 'this CSV' }, undefined, batch.rowCount);
    return { data, transfer: [data.buffer], findings: findings.found() };
  },
  createSink: (path, encodings, { expected }): OutputSink => new CsvSink(path, encodings, expected),
};

function planLayer(layer: OutputLayer, context: WriteContext): LayerEncoding {
  const { fields } = layer;
  if (fields === null) throw failure(generalErrors.INTERNAL, { reason: 'the CSV writer got no fields' });
  const { findings, options } = context;
  const delimiter = delimiterOption(options.delimiter) ?? COMMA;
  const geometry = geometryForm(layer, fields, options);
  const own = geometryNames(layer, geometry, pointsOnly);
  const names = columnNames(fields, own, layer.name, findings);
  noteTexts(layer, ['binary'], findings);
  if (geometry !== 'none') noteCrs(layer, 'CSV', findings);
  const columns = [...names, ...own];
  const state: CsvEncoding = {
    delimiter,
    rounding: coordinateRounding(layer, options),
    header: headerLine(columns, delimiter),
    geometry: own.length === 3 ? 'xyz' : geometry,
  };
  return { fields, state };
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

  constructor(path: string, encodings: readonly LayerEncoding[], expected: WriteContext['expected']) {
    if (encodings.length !== 1)
      throw failure(generalErrors.INTERNAL, { reason: `a CSV holds one layer, not ${encodings.length}` });
    this.#path = path;
    this.#file = new OutputFileSink(path, expected);
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

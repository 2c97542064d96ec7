/** Writes workbooks: a sheet for each layer, with a header and the geometry in the last column or columns. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { coordinateRounding, noteRounding } from '../coordinate-digits.ts';
import { formatFindings } from '../findings.ts';
import {
  columnNames,
  geometryForm,
  geometryNames,
  noteCrs,
  noteTexts,
  type PointsOnly,
  writtenGeometry,
} from '../tables/geometry-output.ts';
import type { EncodedChunk, FormatWriter, LayerEncoding, OutputLayer, WriteContext } from '../writer.ts';
import { MAX_CHARACTERS, writeTextCell } from './cell-text.ts';
import { MAX_COLUMNS } from './column-kinds.ts';
import { encodeRows, type SheetEncoding } from './encode.ts';
import { xlsxErrors } from './messages.ts';
import { type SheetFacts, sheetFacts } from './sheet-facts.ts';
import { sheetNames } from './sheet-names.ts';
import { XlsxSink } from './sink.ts';

const pointsOnly: PointsOnly = (found, location) => failure(xlsxErrors.XLSX_POINTS_ONLY, { found }, location);

export const writer: FormatWriter = {
  // Only all features show whether there is a Z, and whether all of them are points.
  needs: ({ geometry }) => (geometry === 'xy' ? 'statistics' : 'fields'),
  usesThreads: true,

  plan(layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[] {
    const names = sheetNames(
      layers.map(({ name }) => name),
      context.findings,
    );
    return layers.map((layer, i) => planLayer(layer, names[i], context));
  },

  encode(batch: FeatureBatch, encoding: LayerEncoding): EncodedChunk {
    const state = encoding.state as SheetEncoding;
    const findings = new Findings();
    const geometry = writtenGeometry(batch, state.geometry, findings, 'a sheet', pointsOnly);
    const data = encodeRows({ ...batch, geometry }, state, findings);
    if (state.geometry !== 'none') noteRounding(batch, state.rounding, findings);
    if (batch.ids !== null)
      findings.note(formatFindings.IDS_DROPPED, { format: 'XLSX' }, undefined, batch.rowCount);
    return { data, transfer: [data.bytes.buffer, data.numberOffsets.buffer], findings: findings.found() };
  },

  createSink: (path, encodings, context) =>
    new XlsxSink(
      path,
      encodings.map(({ state }) => state as SheetEncoding),
      encodings.map(({ sinkState }) => sinkState as SheetFacts | null),
      context,
    ),
};

function planLayer(layer: OutputLayer, sheet: string, { findings, options }: WriteContext): LayerEncoding {
  const { fields } = layer;
  if (fields === null) throw failure(generalErrors.INTERNAL, { reason: 'the XLSX writer got no fields' });
  const geometry = geometryForm(layer, fields, options);
  const own = geometryNames(layer, geometry, pointsOnly);
  const names = [...columnNames(fields, own, layer.name, findings), ...own];
  if (names.length > MAX_COLUMNS)
    throw failure(xlsxErrors.XLSX_TOO_MANY_COLUMNS, { sheet, actual: names.length, limit: MAX_COLUMNS });
  noteTexts(layer, ['binary', 'json'], findings);
  if (geometry !== 'none') noteCrs(layer, 'XLSX', findings);
  const state: SheetEncoding = {
    sheet,
    rounding: coordinateRounding(layer, options),
    header: headerRow(names),
    geometry: own.length === 3 ? 'xyz' : geometry,
  };
  return { fields, state, sinkState: sheetFacts(layer, findings) };
}

/** Throws XLSX_TEXT_TOO_LONG. */
function headerRow(names: readonly string[]): Uint8Array {
  const out = new ByteWriter(1024);
  const encoder = new TextEncoder();
  out.ascii('<row r="1">');
  for (const name of names) {
    if (name.length > MAX_CHARACTERS)
      throw failure(xlsxErrors.XLSX_TEXT_TOO_LONG, {
        limit: MAX_CHARACTERS,
        what: `the name of field '${name.slice(0, 40)}...'`,
        actual: name.length,
        advice: 'rename it with a step select',
      });
    const bytes = encoder.encode(name);
    writeTextCell(out, bytes, 0, bytes.length);
  }
  out.ascii('</row>\n');
  return out.take();
}

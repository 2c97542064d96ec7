/** Writes MIF and MID files: see docs/formats/mif.md for the rules. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { FieldStatistics } from '@geomill/core/columns/statistics.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { looseFiles, type OutputMember, type OutputPackage } from '@geomill/io/output-package.ts';
import { ZipWriter } from '@geomill/io/zip-write.ts';
import { directoryOf, fileName, joinedPath } from '@geomill/platform/paths.ts';
import { type CoordinateRounding, coordinateRounding, noteRounding } from '../coordinate-digits.ts';
import { formatFindings } from '../findings.ts';
import type { FormatWriter, LayerEncoding, OutputFile, OutputLayer, WriteContext } from '../writer.ts';
import { coordSysOf } from './coord-sys-of-crs.ts';
import { mifFindings } from './messages.ts';
import { type CellKind, writeCells } from './mid-encode.ts';
import { noteGeometryLosses, writeObjects } from './mif-encode.ts';

/** Versions before 15.2 read no UTF-8. */
const VERSION = 1520;
const MAX_CHAR = 254;
const MAX_NAME = 31;
const INT32_DIGITS = 10;
const MEDIA_TYPE_MIF = 'application/x-mif';

interface PlannedColumn extends Field {
  readonly to: string;
  readonly kind: CellKind;
  readonly declared: string;
}

interface MifEncoding {
  readonly fileName: string;
  readonly header: string;
  readonly cells: readonly CellKind[];
  readonly rounding: CoordinateRounding;
}

function plan(layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[] {
  const names = new UniqueNames({ fold: (name) => name.toLowerCase() });
  return layers.map((layer) => {
    const wanted = layers.length === 1 ? context.name : layer.name;
    return planLayer(layer, names.take(safeFileName(wanted)), context);
  });
}

/** A name of files on all systems. */
function safeFileName(name: string): string {
  const safe = name.replace(/[\p{Cc}\\/:*?"<>|]/gu, '_').trim();
  return safe === '' ? 'layer' : safe.slice(0, 100);
}

function planLayer(layer: OutputLayer, file: string, { findings, options }: WriteContext): LayerEncoding {
  if (layer.fields === null || layer.statistics === null)
    throw failure(generalErrors.INTERNAL, { reason: 'the mif writer was given no fields or statistics' });
  const { statistics } = layer;
  if (statistics.hasIds)
    findings.note(formatFindings.IDS_DROPPED, { format: 'MIF' }, undefined, statistics.rowCount);
  const byName = new Map(statistics.fields.map((field) => [field.name, field]));
  const kept = layer.fields.filter(({ type }) => type !== 'binary');
  for (const { name: field, type } of layer.fields)
    if (type === 'binary')
      findings.note(formatFindings.FIELD_DROPPED, {
        field,
        layer: layer.name,
        reason: 'MIF cannot store binary values',
      });
  const taken = new UniqueNames({ fold: (name) => name.toLowerCase() });
  const columns = kept.map((field): PlannedColumn => {
    const to = taken.take(columnName(field.name));
    if (to !== field.name)
      findings.note(formatFindings.FIELD_RENAMED, { from: field.name, layer: layer.name, to });
    return { ...field, to, ...columnType(field, byName.get(field.name) ?? null, layer, findings) };
  });
  const { clause, plan } = coordSysOf(layer.crs);
  if (clause === null && layer.crs.kind !== 'other')
    findings.note(formatFindings.CRS_NOT_WRITTEN, {
      crs: layer.crs.name,
      reason: 'MapInfo has no such system, so the file is a plan (CoordSys NonEarth)',
    });
  // Names of columns are letters and digits, and a table has at least one column.
  const declared =
    columns.length > 0 ? columns.map(({ to, declared: type }) => `  ${to} ${type}`) : ['  id Integer'];
  const header = [
    `Version ${VERSION}`,
    'Charset "UTF-8"',
    'Delimiter ","',
    `CoordSys ${clause ?? plan + boundsOf(statistics.geometry.bounds)}`,
    `Columns ${declared.length}`,
    ...declared,
    'Data',
    '',
    '',
  ].join('\n');
  const rounding = coordinateRounding(layer, options);
  const state: MifEncoding = { fileName: file, header, cells: columns.map(({ kind }) => kind), rounding };
  return { fields: kept, state };
}

function boundsOf([minX, minY, maxX, maxY]: readonly number[]): string {
  return minX <= maxX ? ` Bounds (${minX}, ${minY}) (${maxX}, ${maxY})` : ' Bounds (0, 0) (1, 1)';
}

/** Letters, digits and underscores, not a digit first, at most 31 characters. */
function columnName(name: string): string {
  const clean = name.replace(/[^\p{L}\p{N}_]/gu, '_');
  const named = /^\p{N}/u.test(clean) || clean === '' ? `_${clean}` : clean;
  return [...named].slice(0, MAX_NAME).join('');
}

function columnType(
  { name, type }: Field,
  statistics: FieldStatistics | null,
  layer: OutputLayer,
  findings: Findings,
): { readonly kind: CellKind; readonly declared: string } {
  const length = Math.max(1, statistics?.maxLength ?? 1);
  switch (type) {
    case 'boolean':
      return { kind: 'logical', declared: 'Logical' };
    case 'int32':
      return { kind: 'number', declared: 'Integer' };
    case 'int64':
      return { kind: 'number', declared: length < INT32_DIGITS ? 'Integer' : 'LargeInt' };
    case 'float64':
      return { kind: 'number', declared: 'Float' };
    case 'date':
      return { kind: 'date', declared: 'Date' };
    case 'datetime':
      return { kind: 'datetime', declared: 'DateTime' };
    default:
      if (type === 'json')
        findings.note(formatFindings.FIELD_RETYPED, {
          field: name,
          layer: layer.name,
          from: type,
          to: 'text',
        });
      if (length > MAX_CHAR)
        findings.note(mifFindings.MIF_TEXT_LONG, { field: name, layer: layer.name, bytes: length });
      return { kind: type === 'json' ? 'json' : 'char', declared: `Char(${Math.min(MAX_CHAR, length)})` };
  }
}

interface MifChunk {
  readonly mif: Uint8Array<ArrayBuffer>;
  readonly mid: Uint8Array<ArrayBuffer>;
}

function encode(batch: FeatureBatch, { fields, state }: LayerEncoding) {
  const { rounding, cells } = state as MifEncoding;
  const findings = new Findings();
  noteGeometryLosses(batch, findings);
  noteRounding(batch, rounding, findings);
  const objects = new ByteWriter(1 << 14);
  writeObjects(objects, batch.geometry, rounding);
  const rows = new ByteWriter(1 << 12);
  writeCells(rows, batch, cells, fields ?? [], findings);
  const data: MifChunk = { mif: objects.take(), mid: rows.take() };
  return { data, transfer: [data.mif.buffer, data.mid.buffer], findings: findings.found() };
}

/** A path that ends in ".mif" becomes loose files, any other path a zip. */
function createSink(
  path: string,
  encodings: readonly LayerEncoding[],
  { expected, packer, time }: WriteContext,
) {
  const states = encodings.map(({ state }) => state as MifEncoding);
  const isLoose = /\.mif$/i.test(path);
  const output: OutputPackage = isLoose
    ? looseFiles((name) => joinedPath(directoryOf(path), name), expected)
    : new ZipWriter(path, { expected, packer, time });
  const base = isLoose && states.length === 1 ? fileName(path).slice(0, -4) : null;
  const files: { readonly mif: OutputMember; readonly mid: OutputMember }[] = [];
  try {
    for (const { fileName: own, header } of states) {
      const mif = output.addMember(`${base ?? own}.mif`, 0);
      mif.append(new TextEncoder().encode(header));
      files.push({ mif, mid: output.addMember(`${base ?? own}.mid`, 0) });
    }
  } catch (error) {
    output.abort();
    throw error;
  }
  return {
    append(layer: number, chunk: unknown): void {
      const { mif, mid } = chunk as MifChunk;
      files[layer].mif.append(mif);
      files[layer].mid.append(mid);
    },
    async finish(): Promise<OutputFile> {
      const byteLength = await output.finish();
      if (!isLoose) return { path, byteLength };
      const first = joinedPath(directoryOf(path), `${base ?? states[0].fileName}.mif`);
      return { path: first, mediaType: MEDIA_TYPE_MIF, byteLength };
    },
    abort: () => output.abort(),
  };
}

export const writer: FormatWriter = { needs: 'statistics', usesThreads: true, plan, encode, createSink };

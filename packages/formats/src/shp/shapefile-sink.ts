/**
 * Collects encoded chunks into shapefiles. Values that depend on earlier features are set here, in order: record
 * numbers, index offsets, the numbers of a serial field, and the headers, which are known last.
 */

import { failure } from '@geomill/core/messages/errors.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { looseFiles, type OutputMember, type OutputPackage } from '@geomill/io/output-package.ts';
import { ZipWriter } from '@geomill/io/zip-write.ts';
import { fileFacts, removeFile } from '@geomill/platform/files.ts';
import { directoryOf, fileName, joinedPath } from '@geomill/platform/paths.ts';
import type { LayerEncoding, OutputFile, OutputSink, WriteContext } from '../writer.ts';
import { type DbfFieldSpec, makeDbfHeader, rowBytesOf } from './dbf-header.ts';
import type { DbfWriteField } from './dbf-plan.ts';
import { shpErrors } from './messages.ts';
import type { ShapefilePlan } from './shapefile-plan.ts';
import {
  emptyBounds,
  HEADER_BYTES,
  INDEX_RECORD_BYTES,
  makeShpHeader,
  mergeBounds,
  RECORD_HEADER_BYTES,
} from './shp-header.ts';

/** How a layer is encoded. Plain data. */
export interface LayerState {
  readonly layer: string;
  readonly files: readonly ShapefilePlan[];
  /** At least one. */
  readonly fields: readonly DbfWriteField[];
  /** The only field is a running number; the sink writes it. */
  readonly isSerial: boolean;
  /** Only a .dbf and a .cpg. */
  readonly isTable: boolean;
  /** ESRI WKT; null: no .prj. */
  readonly prj: string | null;
  /** Positions are longitudes and latitudes in degrees. */
  readonly isInDegrees: boolean;
}

/** Features of one batch for one shapefile. */
export interface ShapefileChunk {
  readonly rowCount: number;
  /** Null: the layer is a table. */
  readonly shapes: ShapeChunk | null;
  readonly dbf: Uint8Array<ArrayBuffer>;
}

interface ShapeChunk {
  readonly shp: Uint8Array<ArrayBuffer>;
  readonly shx: Uint8Array<ArrayBuffer>;
  readonly bounds: Float64Array<ArrayBuffer>;
}

export interface LayerChunk {
  /** In the order of `LayerState.files`. */
  readonly files: readonly ShapefileChunk[];
}

/** Many readers store file sizes and offsets as signed 32-bit integers. */
const MAX_MEMBER_BYTES = 2 ** 31 - 1;
const DBF_END = Uint8Array.of(0x1a);
const MEDIA_TYPE_SHP = 'application/vnd.shp';
const MEDIA_TYPE_DBF = 'application/vnd.dbf';

/** Throws SHP_TOO_LARGE. */
export function checkMemberSize(layer: string, member: string, bytes: number): void {
  if (bytes > MAX_MEMBER_BYTES) throw failure(shpErrors.SHP_TOO_LARGE, { layer, member, bytes });
}

/** Throws OUTPUT_NOT_WRITABLE. A path that ends in ".shp" or ".dbf" becomes loose files, any other path a zip. */
export function createShapefileSink(
  path: string,
  encodings: readonly LayerEncoding[],
  { expected, options, packer, time }: WriteContext,
): OutputSink {
  const states = encodings.map(({ state }) => state as LayerState);
  const isLoose = /\.(?:shp|dbf)$/i.test(path);
  refuseShapesBeside(path);
  const output: OutputPackage = isLoose
    ? looseFiles((name) => joinedPath(directoryOf(path), name), expected)
    : new ZipWriter(path, { expected, packer, time, isStored: options.compression === 'store' });
  // Loose files are named after the path, which may be longer than the name of the output ("roads.v2.shp").
  const nameOf = looseNames(states, isLoose ? fileName(path).slice(0, -4) : null);
  const layers: ShapefileOutput[][] = [];
  try {
    for (const state of states)
      layers.push(
        state.files.map(
          (file) => new ShapefileOutput(output, state, file, nameOf(file.name), time ?? new Date()),
        ),
      );
  } catch (error) {
    output.abort();
    throw error;
  }
  return {
    append(layerIndex, chunk) {
      (chunk as LayerChunk).files.forEach((part, i) => {
        layers[layerIndex][i].append(part);
      });
    },
    async finish(): Promise<OutputFile> {
      for (const files of layers) for (const file of files) file.finish();
      const byteLength = await output.finish();
      if (!isLoose) return { path, byteLength };
      for (const state of states)
        for (const { name } of state.files) removeStale(joinedPath(directoryOf(path), nameOf(name)), state);
      const [{ files, isTable }] = states;
      const first = joinedPath(directoryOf(path), nameOf(files[0].name) + (isTable ? '.dbf' : '.shp'));
      return { path: first, mediaType: isTable ? MEDIA_TYPE_DBF : MEDIA_TYPE_SHP, byteLength };
    },
    abort: () => output.abort(),
  };
}

/** Spatial and attribute indexes, and other files that state a CRS. */
const DERIVED = ['.qix', '.sbn', '.sbx', '.fbn', '.fbx', '.ain', '.aih', '.idm', '.ind', '.qpj'];

/** Removes files of an earlier shapefile at the same path that would be wrong for the new one. */
function removeStale(stem: string, { prj, isTable }: LayerState): void {
  const others = [...(prj === null ? ['.prj'] : []), ...(isTable ? ['.shp', '.shx'] : [])];
  for (const extension of [...DERIVED, ...others]) removeFile(stem + extension);
}

/** A path of a .dbf states nothing of the files beside it: its table would become that of the shapes there. */
function refuseShapesBeside(path: string): void {
  const shapes = path.replace(/\.dbf$/i, '.shp');
  if (shapes !== path && fileFacts(shapes) !== null)
    throw failure(ioErrors.OUTPUT_NOT_WRITABLE, {
      path,
      reason: `'${fileName(shapes)}' is beside it, whose table it would become; choose another name`,
    });
}

/** With one layer, planned names begin with the output's name; loose files use the path's name instead. */
function looseNames(states: readonly LayerState[], base: string | null): (name: string) => string {
  if (base === null || states.length !== 1) return (name) => name;
  const [{ files }] = states;
  if (files.length === 1) return () => base;
  return (name) => base + name.slice(name.lastIndexOf('_'));
}

class ShapefileOutput {
  readonly #state: LayerState;
  readonly #plan: ShapefilePlan;
  readonly #time: Date;
  /** Null: the layer is a table. */
  readonly #shapes: { readonly shp: OutputMember; readonly shx: OutputMember } | null;
  readonly #dbf: OutputMember;
  readonly #bounds = emptyBounds();
  #rowCount = 0;

  constructor(output: OutputPackage, state: LayerState, plan: ShapefilePlan, name: string, time: Date) {
    this.#state = state;
    this.#time = time;
    this.#plan = plan;
    const fields: readonly DbfFieldSpec[] = state.fields;
    this.#shapes = state.isTable
      ? null
      : {
          shp: output.addMember(`${name}.shp`, HEADER_BYTES, 'words'),
          shx: output.addMember(`${name}.shx`, HEADER_BYTES),
        };
    this.#dbf = output.addMember(`${name}.dbf`, makeDbfHeader(fields, 0, time).length);
    const encoder = new TextEncoder();
    if (state.prj !== null) output.addMember(`${name}.prj`, 0).append(encoder.encode(state.prj));
    output.addMember(`${name}.cpg`, 0).append(encoder.encode('UTF-8'));
  }

  append(chunk: ShapefileChunk): void {
    const { layer } = this.#state;
    const { shapes, rowCount, dbf } = chunk;
    checkMemberSize(layer, '.dbf', this.#dbf.byteLength + dbf.length + 1);
    if (this.#shapes !== null && shapes !== null) {
      const { shp, shx } = this.#shapes;
      checkMemberSize(layer, '.shp', shp.byteLength + shapes.shp.length);
      this.#number(shapes, shp.byteLength / 2, rowCount);
      mergeBounds(this.#bounds, shapes.bounds);
      shp.append(shapes.shp);
      shx.append(shapes.shx);
    }
    if (this.#state.isSerial) this.#fillSerial(chunk);
    this.#rowCount += rowCount;
    this.#dbf.append(dbf);
  }

  finish(): void {
    const { shapeType } = this.#plan;
    this.#dbf.append(DBF_END);
    if (this.#shapes !== null)
      for (const member of [this.#shapes.shp, this.#shapes.shx])
        member.setHead(makeShpHeader(shapeType, member.byteLength, this.#bounds));
    this.#dbf.setHead(makeDbfHeader(this.#state.fields, this.#rowCount, this.#time));
  }

  /** Converts record numbers and offsets in the chunk to those in the file. */
  #number({ shp, shx }: ShapeChunk, firstWord: number, rowCount: number): void {
    const records = new DataView(shp.buffer, shp.byteOffset, shp.byteLength);
    const entries = new DataView(shx.buffer, shx.byteOffset, shx.byteLength);
    let at = 0;
    for (let i = 0; i < rowCount; i++) {
      records.setUint32(at, this.#rowCount + i + 1);
      entries.setUint32(i * INDEX_RECORD_BYTES, firstWord + at / 2);
      at += RECORD_HEADER_BYTES + entries.getUint32(i * INDEX_RECORD_BYTES + 4) * 2;
    }
  }

  #fillSerial({ dbf, rowCount }: ShapefileChunk): void {
    const rowBytes = rowBytesOf(this.#state.fields);
    for (let i = 0; i < rowCount; i++) {
      const text = String(this.#rowCount + i);
      const start = (i + 1) * rowBytes - text.length;
      for (let k = 0; k < text.length; k++) dbf[start + k] = text.charCodeAt(k);
    }
  }
}

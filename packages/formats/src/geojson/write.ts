/**
 * Writes GeoJSON: RFC 7946, or GeoJSON 2008 with a crs member, or JSON-FG, if the request asks for another CRS; one collection, or a
 * sequence of features, each on a line.
 */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import { crsUrn, describesWgs84 } from '@geomill/core/crs/crs-member.ts';
import { hasZ, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { cutForWriting } from '@geomill/core/sphere/cut-for-writing.ts';
import { writeDigits } from '@geomill/core/text/number-text.ts';
import { OutputFileSink } from '@geomill/io/output-file.ts';
import { coordinateRounding, noteRounding } from '../coordinate-digits.ts';
import { formatFindings } from '../findings.ts';
import type {
  EncodedChunk,
  FormatWriter,
  LayerEncoding,
  OutputFile,
  OutputLayer,
  OutputSink,
  WriteContext,
} from '../writer.ts';
import { encodeJsonFg } from './json-fg/write-features.ts';
import { jsonFgWriting } from './json-fg/writing.ts';
import { geojsonFindings } from './messages.ts';
import { encodeFeatures, type WriteState } from './write-features.ts';

/** Between two features: of a collection, of newline-delimited GeoJSON, of a GeoJSON text sequence (RFC 8142). */
const COMMA_LINE = ',\n';
const LINE = '\n';
const RS_LINE = '\n\x1e';

interface Chunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly featureCount: number;
  /** As in `emptyBounds`, of the batch. */
  readonly bounds: Float64Array<ArrayBuffer>;
}

export const writer: FormatWriter = {
  needs: 'batch',

  plan(layers: readonly OutputLayer[], context: WriteContext): readonly LayerEncoding[] {
    const { options, findings } = context;
    const separator = options.sequence === 'rs' ? RS_LINE : options.sequence ? LINE : COMMA_LINE;
    const isSequence = separator !== COMMA_LINE;
    if (isSequence && options.bbox === true) findings.note(geojsonFindings.BBOX_NOT_WRITTEN, {});
    return layers.map((layer) => {
      const isWgs84 = describesWgs84(layer.crs);
      const jsonFg =
        options.geojson_crs === 'jsonfg'
          ? jsonFgWriting(layer, { isWgs84, isSequence, isAlone: layers.length === 1 }, findings)
          : null;
      if (jsonFg !== null && !isWgs84 && !isSequence && options.bbox === true)
        findings.note(geojsonFindings.JSONFG_BBOX_NOT_WRITTEN, { crs: layer.crs.name });
      if (isSequence && !isWgs84 && jsonFg === null)
        findings.note(formatFindings.CRS_NOT_WRITTEN, {
          crs: layer.crs.name,
          reason: 'a sequence of features has no member for it',
        });
      const state: WriteState = {
        layerName: layer.name,
        isWgs84,
        crsName: isWgs84 || isSequence || jsonFg !== null ? null : crsName(layer.crs, findings),
        separator,
        rounding: coordinateRounding(layer, options),
        bbox: options.bbox === true && !isSequence && (jsonFg === null || isWgs84),
        jsonFg,
      };
      return { fields: null, state };
    });
  },

  encode(batch: FeatureBatch, encoding: LayerEncoding, isSpent = false): EncodedChunk {
    const state = encoding.state as WriteState;
    const findings = new Findings();
    const geometry = state.isWgs84 ? cutForWriting(batch.geometry, findings) : batch.geometry;
    noteRounding(batch, state.rounding, findings);
    const written = { ...batch, geometry };
    const bytes =
      state.jsonFg === null
        ? encodeFeatures(written, state, findings, isSpent)
        : encodeJsonFg(written, state, state.jsonFg, findings);
    const chunk: Chunk = {
      bytes,
      featureCount: batch.rowCount,
      bounds: state.bbox ? boundsOf(written) : emptyBounds(),
    };
    return { data: chunk, transfer: [bytes.buffer, chunk.bounds.buffer], findings: findings.found() };
  },

  createSink(path: string, encodings: readonly LayerEncoding[], context: WriteContext): OutputSink {
    const states = encodings.map((encoding) => encoding.state as WriteState);
    return new GeoJsonSink(path, states, context);
  },
};

/** A CRS without an authority cannot be written. */
function crsName(crs: CrsDescription, findings: Findings): string | null {
  const name = crsUrn(crs);
  if (name === null)
    findings.note(formatFindings.CRS_NOT_WRITTEN, {
      crs: crs.name,
      reason: 'it has no code of an authority',
    });
  return name;
}

/**
 * minX, minY, minZ, maxX, maxY, maxZ, then the westernmost longitude from 0 on, the easternmost below 0, and 1 if a part is on both
 * sides of 0: for a box across the antimeridian.
 */
function emptyBounds(): Float64Array<ArrayBuffer> {
  const most = Number.POSITIVE_INFINITY;
  return Float64Array.of(most, most, most, -most, -most, -most, most, -most, 0);
}

function boundsOf({ geometry }: FeatureBatch): Float64Array<ArrayBuffer> {
  const bounds = emptyBounds();
  const { coordinates, coordOffsets, dimensions } = geometry;
  const stride = strideOf(dimensions);
  const last = hasZ(dimensions) ? 2 : 1;
  for (let ring = 0; ring + 1 < coordOffsets.length; ring++) {
    let isEast = false;
    let isWest = false;
    for (let at = coordOffsets[ring] * stride; at < coordOffsets[ring + 1] * stride; at += stride) {
      for (let axis = 0; axis <= last; axis++) {
        const value = coordinates[at + axis];
        if (value < bounds[axis]) bounds[axis] = value;
        if (value > bounds[axis + 3]) bounds[axis + 3] = value;
      }
      const x = coordinates[at];
      if (x >= 0) isEast = true;
      else if (x < 0) isWest = true;
      if (x >= 0 && x < bounds[FROM_ZERO]) bounds[FROM_ZERO] = x;
      if (x < 0 && x > bounds[BELOW_ZERO]) bounds[BELOW_ZERO] = x;
    }
    if (isEast && isWest) bounds[OVER_ZERO] = 1;
  }
  return bounds;
}

const FROM_ZERO = 6;
const BELOW_ZERO = 7;
const OVER_ZERO = 8;

/** West and east; west is greater in a box across the antimeridian (RFC 7946 5.2), if that box is the smaller one. */
function westAndEast(bounds: Float64Array, isWgs84: boolean): [number, number] {
  const [west, east] = [bounds[0], bounds[3]];
  const [fromZero, belowZero] = [bounds[FROM_ZERO], bounds[BELOW_ZERO]];
  const hasBothSides = west < 0 && east >= 0;
  const isSmaller = 360 - (fromZero - belowZero) < east - west;
  return isWgs84 && hasBothSides && bounds[OVER_ZERO] === 0 && isSmaller
    ? [fromZero, belowZero]
    : [west, east];
}

/** The bounding box is written after the features, when it is known; members have no order. */
class GeoJsonSink implements OutputSink {
  readonly #path: string;
  readonly #file: OutputFileSink;
  readonly #states: readonly WriteState[];
  readonly #isSequence: boolean;
  readonly #separator: Uint8Array;
  readonly #bounds = emptyBounds();
  #featureCount = 0;

  constructor(path: string, states: readonly WriteState[], { name: outputName, expected }: WriteContext) {
    this.#path = path;
    this.#states = states;
    this.#file = new OutputFileSink(path, expected);
    this.#isSequence = states.some(({ separator }) => separator !== COMMA_LINE);
    this.#separator = encoder.encode(states[0]?.separator ?? COMMA_LINE);
    if (this.#isSequence) return;
    const name = states.length === 1 ? states[0].layerName : outputName;
    const head = new ByteWriter(256);
    const jsonFg = states[0]?.jsonFg ?? null;
    const own = jsonFg === null ? `"name":${JSON.stringify(name)}` : jsonFg.collectionMembers;
    head.utf8(`{"type":"FeatureCollection",${own}`);
    const crs = states[0]?.crsName ?? null;
    if (crs !== null) head.utf8(`,"crs":{"type":"name","properties":{"name":${JSON.stringify(crs)}}}`);
    head.ascii(',"features":[\n');
    this.#file.append(head.written());
  }

  append(_layerIndex: number, data: unknown): void {
    const chunk = data as Chunk;
    if (chunk.featureCount === 0) return;
    if (this.#featureCount > 0) this.#file.append(this.#separator);
    else if (this.#isSequence) this.#file.append(this.#separator.subarray(1));
    this.#file.append(chunk.bytes);
    this.#featureCount += chunk.featureCount;
    for (let i = 0; i < 3; i++) {
      this.#bounds[i] = Math.min(this.#bounds[i], chunk.bounds[i]);
      this.#bounds[i + 3] = Math.max(this.#bounds[i + 3], chunk.bounds[i + 3]);
    }
    this.#bounds[FROM_ZERO] = Math.min(this.#bounds[FROM_ZERO], chunk.bounds[FROM_ZERO]);
    this.#bounds[BELOW_ZERO] = Math.max(this.#bounds[BELOW_ZERO], chunk.bounds[BELOW_ZERO]);
    this.#bounds[OVER_ZERO] = Math.max(this.#bounds[OVER_ZERO], chunk.bounds[OVER_ZERO]);
  }

  async finish(): Promise<OutputFile> {
    const tail = new ByteWriter(256);
    if (!this.#isSequence) {
      tail.ascii(this.#featureCount > 0 ? '\n]' : ']');
      this.#writeBbox(tail);
      tail.ascii('}');
    }
    if (!this.#isSequence || this.#featureCount > 0) tail.ascii('\n');
    this.#file.append(tail.written());
    return { path: this.#path, byteLength: this.#file.finish() };
  }

  abort(): void {
    this.#file.abort();
  }

  #writeBbox(tail: ByteWriter): void {
    const [minX, minY, minZ, maxX, maxY, maxZ] = this.#bounds;
    if (!this.#states.some(({ bbox }) => bbox) || minX > maxX) return;
    const isWgs84 = this.#states.every((state) => state.isWgs84);
    const [west, east] = westAndEast(this.#bounds, isWgs84);
    const numbers = minZ <= maxZ ? [west, minY, minZ, east, maxY, maxZ] : [west, minY, east, maxY];
    const { xy, zm } = this.#states[0].rounding;
    tail.ascii(',"bbox":[');
    numbers.forEach((value, i) => {
      if (i > 0) tail.ascii(',');
      writeDigits(tail, value, numbers.length === 6 && i % 3 === 2 ? zm : xy);
    });
    tail.ascii(']');
  }
}

const encoder = new TextEncoder();

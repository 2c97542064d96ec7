/** Collects encoded features in the order of the schema: waypoints, routes, tracks. */
import type { Findings } from '@geomill/core/messages/findings.ts';
import { OutputFileSink } from '@geomill/io/output-file.ts';
import { unfinishedPath } from '@geomill/io/output-place.ts';
import { Spool } from '@geomill/io/spool.ts';
import type { OutputFile, OutputSink, WriteContext } from '../writer.ts';
import { gpxFindings } from './messages.ts';
import type { GpxChunk } from './write-features.ts';
import type { WriteState } from './write-plan.ts';

/** Fields without values that are named. */
const MAX_NAMED = 20;
const encoder = new TextEncoder();
const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="geomill" xmlns="http://www.topografix.com/GPX/1/1" xmlns:ogr="http://osgeo.org/gdal">
`;

export class GpxSink implements OutputSink {
  readonly #path: string;
  readonly #file: OutputFileSink;
  readonly #routes: Spool;
  readonly #tracks: Spool;

  readonly #states: readonly WriteState[];
  /** By layer: the numbers of its fields that have a value; empty: it has no features. */
  readonly #usedFields: readonly Set<number>[];
  readonly #isWritten: Uint8Array;
  readonly #findings: Findings;

  constructor(path: string, states: readonly WriteState[], { expected, findings }: WriteContext) {
    this.#path = path;
    this.#states = states;
    this.#usedFields = states.map(() => new Set());
    this.#isWritten = new Uint8Array(states.length);
    this.#findings = findings;
    this.#file = new OutputFileSink(path, expected);
    const temporary = unfinishedPath(path, expected);
    this.#routes = new Spool(`${temporary}.routes`);
    this.#tracks = new Spool(`${temporary}.tracks`);
    this.#file.append(encoder.encode(HEAD));
  }

  /** The chunk is null for a layer that is not written. */
  append(layerIndex: number, chunk: unknown): void {
    if (chunk === null) return;
    const { usedFields, wpt, rte, trk } = chunk as GpxChunk;
    this.#isWritten[layerIndex] = 1;
    for (const field of usedFields) this.#usedFields[layerIndex].add(field);
    this.#file.append(wpt);
    this.#routes.append(rte);
    this.#tracks.append(trk);
  }

  async finish(): Promise<OutputFile> {
    this.#noteEmptyFields();
    for (const spool of [this.#routes, this.#tracks]) spool.moveTo(this.#file);
    this.#file.append(encoder.encode('</gpx>\n'));
    return { path: this.#path, byteLength: this.#file.finish() };
  }

  #noteEmptyFields(): void {
    for (const [i, { fields, layerName: layer }] of this.#states.entries()) {
      const empty = fields.filter((_, field) => !this.#usedFields[i].has(field)).map(({ name }) => name);
      if (this.#isWritten[i] === 0 || empty.length === 0) continue;
      const shown = empty.slice(0, MAX_NAMED).join(', ') + (empty.length > MAX_NAMED ? ', …' : '');
      this.#findings.note(gpxFindings.GPX_FIELDS_EMPTY, { layer, fields: shown }, undefined, empty.length);
    }
  }

  abort(): void {
    this.#routes.discard();
    this.#tracks.discard();
    this.#file.abort();
  }
}

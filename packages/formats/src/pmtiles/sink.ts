/** Sorts pieces of features by tile, has the tiles built, and writes the archive: tiles in order, equal ones once. */
import type { FieldType } from '@geomill/core/columns/schema.ts';
import { OutputFileSink } from '@geomill/io/output-file.ts';
import { unfinishedPath } from '@geomill/io/output-place.ts';
import { lengthText } from '../coordinate-digits.ts';
import type { OutputFile, OutputSink, WriteContext } from '../writer.ts';
import { DirectoryWriter, HEADER_BYTES } from './directory.ts';
import { encodeHeader } from './header.ts';
import { DIGEST_BYTES, KnownTiles } from './known-tiles.ts';
import { pmtilesFindings } from './messages.ts';
import type { RecordChunk } from './records.ts';
import { SortedRuns } from './sorted-runs.ts';
import type { WriteState } from './state.ts';
import { type BuiltTiles, buildTiles, type TileWork } from './tile-build.ts';
import { gatherTiles } from './tile-gather.ts';
import { zoomOf } from './tile-id.ts';

/** Work that is given to the threads in advance. */
const MOST_WAITING = 8;
/** The same, in bytes, unless one tile has more: tiles of small zooms have tens of megabytes, and to build one needs several times as much memory. */
const MOST_WAITING_BYTES = 32 << 20;
/** Contents of tiles that are looked for in later ones. */
const MOST_KNOWN = 2 ** 18;

/** Positions that move further are reported as changed. */
const MOST_METRES = 1;

const METADATA_TYPES: Readonly<Partial<Record<FieldType, string>>> = {
  boolean: 'Boolean',
  int32: 'Number',
  int64: 'Number',
  float64: 'Number',
};

export class PmtilesSink implements OutputSink {
  readonly #path: string;
  readonly #states: readonly WriteState[];
  readonly #context: WriteContext;
  readonly #file: OutputFileSink;
  readonly #runs: SortedRuns;
  readonly #directory: DirectoryWriter;
  readonly #known = new KnownTiles(MOST_KNOWN);
  readonly #bounds: [number, number, number, number] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
  #displacement = 0;
  #tileBytes = 0;
  #contents = 0;

  constructor(path: string, states: readonly WriteState[], context: WriteContext) {
    this.#path = path;
    this.#states = states;
    this.#context = context;
    this.#file = new OutputFileSink(path, context.expected);
    const temporary = unfinishedPath(path, context.expected);
    this.#runs = new SortedRuns(`${temporary}.pieces`);
    this.#directory = new DirectoryWriter(`${temporary}.leaves`);
  }

  append(_layerIndex: number, chunk: unknown): void {
    const { bytes, bounds, displacement } = chunk as RecordChunk;
    this.#runs.append(bytes);
    this.#displacement = Math.max(this.#displacement, displacement);
    for (let i = 0; i < 2; i++) {
      this.#bounds[i] = Math.min(this.#bounds[i], bounds[i]);
      this.#bounds[i + 2] = Math.max(this.#bounds[i + 2], bounds[i + 2]);
    }
  }

  async finish(): Promise<OutputFile> {
    const [{ tileLimit }] = this.#states;
    const layers = this.#states.map(({ layerName, fields }) => ({
      name: layerName,
      fields: fields.map(({ name }) => name),
    }));
    const { work } = this.#context;
    const run = async (bytes: Uint8Array<ArrayBuffer>): Promise<BuiltTiles> => {
      const task: TileWork = { bytes, tileLimit, layers };
      return work === undefined ? buildTiles(task) : ((await work(task, [bytes.buffer])) as BuiltTiles);
    };
    const left = (tile: number, count: number): void => this.#noteLeft(tile, count);
    const waiting: { readonly byteLength: number; readonly built: Promise<BuiltTiles> }[] = [];
    let waitingBytes = 0;
    const writeFirst = async (): Promise<void> => {
      const [{ byteLength, built }] = waiting;
      this.#write(await built);
      waiting.shift();
      waitingBytes -= byteLength;
    };
    try {
      for (const bytes of gatherTiles(this.#runs, left)) {
        const { byteLength } = bytes;
        while (waiting.length > 0 && waitingBytes + byteLength > MOST_WAITING_BYTES) await writeFirst();
        const built = run(bytes);
        // One may fail before those that are awaited first.
        built.catch(() => {});
        waiting.push({ byteLength, built });
        waitingBytes += byteLength;
        if (waiting.length === MOST_WAITING) await writeFirst();
      }
      while (waiting.length > 0) await writeFirst();
    } catch (error) {
      await Promise.allSettled(waiting.map(({ built }) => built));
      throw error;
    }
    this.#runs.discard();
    this.#noteZooms();
    return this.#complete();
  }

  abort(): void {
    this.#runs.discard();
    this.#directory.discard();
    this.#file.abort();
  }

  #write({ tiles, lengths, digests, bytes, left, thinned }: BuiltTiles): void {
    let at = 0;
    for (let i = 0; i < tiles.length; i++) {
      const start = at;
      const byteLength = lengths[i];
      at += byteLength;
      if (left[i] > 0) this.#noteLeft(tiles[i], left[i]);
      if (thinned[i] > 0)
        this.#context.findings.note(
          pmtilesFindings.PMTILES_POINTS_THINNED,
          { zoom: zoomOf(tiles[i]) },
          undefined,
          thinned[i],
        );
      if (byteLength === 0) continue;
      const digest = (i * DIGEST_BYTES) / 4;
      let offset = this.#known.offsetOf(digests, digest);
      if (offset === -1) {
        offset = this.#tileBytes;
        this.#file.append(bytes.subarray(start, at));
        this.#tileBytes += byteLength;
        this.#contents++;
        this.#known.add(digests, digest, offset);
      }
      this.#directory.add(tiles[i], offset, byteLength);
    }
  }

  #noteLeft(tile: number, count: number): void {
    const [{ tileLimit: limit }] = this.#states;
    this.#context.findings.note(
      pmtilesFindings.PMTILES_TILE_LIMIT,
      { zoom: zoomOf(tile), limit },
      undefined,
      count,
    );
  }

  #noteZooms(): void {
    if (this.#contents === 0) return;
    const [{ minZoom: min, maxZoom: max }] = this.#states;
    const displacement = lengthText(this.#displacement);
    this.#context.findings.note(pmtilesFindings.PMTILES_ZOOM_RANGE, { min, max, displacement });
    if (this.#displacement > MOST_METRES)
      this.#context.findings.note(pmtilesFindings.PMTILES_POSITIONS_MOVED, { max, displacement });
  }

  /** Puts the header, the directories and the metadata before the tiles. */
  async #complete(): Promise<OutputFile> {
    const { gzip } = await import('@geomill/platform/compression.ts');
    const directory = this.#directory;
    const root = directory.finish();
    const metadata = gzip(new TextEncoder().encode(JSON.stringify(this.#metadata())), { level: 9 });
    const [{ minZoom, maxZoom }] = this.#states;
    const leavesAt = HEADER_BYTES + root.length + metadata.length;
    const tilesAt = leavesAt + directory.leafBytes;
    const header = encodeHeader({
      root: { offset: HEADER_BYTES, byteLength: root.length },
      metadata: { offset: HEADER_BYTES + root.length, byteLength: metadata.length },
      leaves: { offset: leavesAt, byteLength: directory.leafBytes },
      tiles: { offset: tilesAt, byteLength: this.#tileBytes },
      addressed: directory.addressed,
      entries: directory.entries,
      contents: this.#contents,
      minZoom,
      maxZoom,
      bounds: this.#bounds[0] <= this.#bounds[2] ? this.#bounds : [-180, -85, 180, 85],
    });
    this.#file.insert(0, tilesAt);
    let at = 0;
    const put = (bytes: Uint8Array): void => {
      this.#file.patch(at, bytes);
      at += bytes.length;
    };
    for (const part of [header, root, metadata]) put(part);
    directory.moveLeavesTo(put);
    return { path: this.#path, byteLength: this.#file.finish() };
  }

  #metadata(): object {
    return {
      name: this.#context.name,
      type: 'overlay',
      vector_layers: this.#states.map(({ layerName, fields, minZoom, maxZoom }) => ({
        id: layerName,
        description: '',
        minzoom: minZoom,
        maxzoom: maxZoom,
        // Entries of a Map: a field may be called __proto__.
        fields: Object.fromEntries(fields.map(({ name, type }) => [name, METADATA_TYPES[type] ?? 'String'])),
      })),
    };
  }
}

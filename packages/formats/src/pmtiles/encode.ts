/** Cuts the features of a batch into tiles at all zooms: each piece is a record with its commands in units of the tile. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { cutForWriting } from '@geomill/core/sphere/cut-for-writing.ts';
import { formatFindings } from '../findings.ts';
import { AttributeEncoder, idAt } from './attributes.ts';
import { CellSet } from './cell-set.ts';
import { cutLines, cutPolygons, type TileRange, visitTiles } from './clip.ts';
import { Displacement } from './displacement.ts';
import { pmtilesErrors, pmtilesFindings } from './messages.ts';
import { MOST_BYTES, type RecordFacts, RecordWriter } from './record-writer.ts';
import { IS_THINNED, type RecordChunk } from './records.ts';
import { cleanLine, cleanPolygon, gridPoint, type Line, type Polygon, snapped } from './rings.ts';
import { BUFFER, CELL, EXTENT, GRID, type WriteState } from './state.ts';
import { tileId } from './tile-id.ts';
import { validPolygons } from './valid-polygons.ts';
import { type WorldShape, worldShape } from './world-shape.ts';

/** Pieces of one feature at one zoom. */
const MOST_TILES = 2 ** 20;
/** Numbers of cells of larger zooms are not exact in one number, and their cells are smaller than a step. */
const MOST_THINNED_ZOOM = 17;
const MVT = { point: 1, line: 2, polygon: 3 } as const;
const SIZE = { extent: EXTENT, buffer: BUFFER };
/** minX, minY, maxX, maxY. */
type Box = [number, number, number, number];

export function encodeTiles(
  batch: FeatureBatch,
  state: WriteState,
): { readonly chunk: RecordChunk; readonly findings: Findings } {
  let buffers = buffersOf.get(state);
  if (buffers === undefined) {
    buffers = { records: new RecordWriter(), cells: new CellSet() };
    buffersOf.set(state, buffers);
  }
  return new TileEncoder(batch, state, buffers).encode();
}

/** What the batches of a layer use one after another. */
interface Buffers {
  readonly records: RecordWriter;
  /** For each zoom, the pixels that have a point. */
  readonly cells: CellSet;
}

const buffersOf = new WeakMap<WriteState, Buffers>();

class TileEncoder {
  readonly #batch: FeatureBatch;
  readonly #state: WriteState;
  readonly #findings = new Findings();
  readonly #records: RecordWriter;
  readonly #attributes: AttributeEncoder;
  readonly #degrees: Box = emptyBox();
  readonly #cells: CellSet;
  /** Features of each zoom. */
  readonly #thinned: Uint32Array;
  readonly #smallAsPoints: Uint32Array;
  readonly #smallDropped: Uint32Array;
  #row = 0;
  #facts: RecordFacts = { hash: 0, layer: 0, id: Number.NaN, attributes: new Uint8Array(0) };
  /** Records before the current zoom of the current feature. */
  #countBefore = 0;
  #hasCollapsed = false;
  readonly #displacement: Displacement;

  constructor(batch: FeatureBatch, state: WriteState, { records, cells }: Buffers) {
    this.#batch = batch;
    this.#state = state;
    this.#attributes = new AttributeEncoder(batch.columns);
    this.#records = records;
    this.#cells = cells;
    this.#displacement = new Displacement(state.maxZoom);
    const zooms = state.maxZoom + 1;
    this.#thinned = new Uint32Array(zooms);
    this.#smallAsPoints = new Uint32Array(zooms);
    this.#smallDropped = new Uint32Array(zooms);
  }

  encode(): { readonly chunk: RecordChunk; readonly findings: Findings } {
    const geometry = cutForWriting(this.#batch.geometry, this.#findings);
    this.#records.reset();
    this.#cells.clear();
    for (let row = 0; row < this.#batch.rowCount; row++) {
      this.#row = row;
      const shape = worldShape(geometry, row);
      if (shape === null)
        this.#findings.note(formatFindings.GEOMETRY_NOT_DRAWN, { format: 'PMTiles' }, { record: row + 1 });
      else this.#encodeRow(shape);
    }
    this.#noteCounts();
    const { metres: displacement } = this.#displacement;
    const chunk = { bytes: this.#records.takeSorted(), bounds: this.#degrees, displacement };
    return { chunk, findings: this.#findings };
  }

  #noteCounts(): void {
    for (let zoom = this.#state.minZoom; zoom <= this.#state.maxZoom; zoom++)
      for (const [entry, counts] of [
        [pmtilesFindings.PMTILES_SMALL_AS_POINTS, this.#smallAsPoints],
        [pmtilesFindings.PMTILES_SMALL_DROPPED, this.#smallDropped],
        [pmtilesFindings.PMTILES_POINTS_THINNED, this.#thinned],
      ] as const)
        if (counts[zoom] > 0) this.#findings.note(entry, { zoom }, undefined, counts[zoom]);
  }

  #encodeRow(shape: WorldShape): void {
    const { points, lines, polygons, degrees } = shape;
    const at = { record: this.#row + 1 };
    const kinds = [points, lines, polygons].filter(({ length }) => length > 0).length;
    if (kinds === 0) {
      this.#findings.note(pmtilesFindings.PMTILES_OUTSIDE, {}, at);
      return;
    }
    if (shape.isCut) this.#findings.note(pmtilesFindings.PMTILES_CLIPPED, {}, at);
    if (kinds > 1) this.#findings.note(formatFindings.COLLECTION_SPLIT, {}, at);
    const { layer, idField, minZoom, maxZoom } = this.#state;
    extend(this.#degrees, degrees);
    const id = idField < 0 ? Number.NaN : idAt(this.#batch.columns[idField], this.#row);
    const first = points.length > 0 ? points : (lines[0] ?? polygons[0][0]);
    this.#facts = {
      hash: hashOf(first[0], first[1]),
      layer,
      id,
      attributes: this.#attributes.encode(this.#row),
    };
    const lineBox = lines.length === 0 ? null : boxOf(lines);
    const polygonBox = polygons.length === 0 ? null : boxOf(polygons.map(([shell]) => shell));
    this.#hasCollapsed = false;
    for (let zoom = minZoom; zoom <= maxZoom; zoom++) {
      this.#countBefore = this.#records.count;
      if (points.length > 0) this.#addPoints(points, zoom);
      if (lineBox !== null) this.#addLines(lines, lineBox, zoom);
      if (polygonBox !== null) this.#addPolygons(polygons, polygonBox, zoom);
    }
    this.#displacement.measure(points);
    for (const line of lines) this.#displacement.measure(line);
    for (const polygon of polygons) for (const ring of polygon) this.#displacement.measure(ring);
    if (this.#hasCollapsed)
      this.#findings.note(pmtilesFindings.PMTILES_RINGS_COLLAPSED, { zoom: maxZoom }, at);
  }

  #addPoints(points: Line, zoom: number): void {
    const scale = EXTENT * 2 ** zoom;
    if (points.length === 2) {
      const isKept = this.#addPoint(gridPoint(points[0] * scale), gridPoint(points[1] * scale), zoom);
      if (!isKept) this.#thinned[zoom]++;
      return;
    }
    // Positions of one feature that are equal in the tile are written once.
    const byTile = new Map<number, { x: number; y: number; line: Line; seen: Set<number> }>();
    for (let i = 0; i < points.length; i += 2) {
      const [x, y] = [gridPoint(points[i] * scale), gridPoint(points[i + 1] * scale)];
      this.#eachTile([x, y, x, y], zoom, (tx, ty) => {
        const id = tileId(zoom, tx, ty);
        let tile = byTile.get(id);
        if (tile === undefined) {
          tile = { x: tx, y: ty, line: [], seen: new Set() };
          byTile.set(id, tile);
        }
        const key = (x - tx * EXTENT + EXTENT) * 4 * EXTENT + (y - ty * EXTENT);
        if (tile.seen.has(key)) return;
        tile.seen.add(key);
        tile.line.push(x, y);
      });
    }
    for (const [id, { x, y, line }] of byTile) {
      this.#records.begin(id, this.#facts, 0, MVT.point, 0);
      this.#records.draw(1, line, 0, line.length / 2, x * EXTENT, y * EXTENT);
      this.#finishRecord(zoom);
    }
  }

  /** False: its pixel has a point. */
  #addPoint(x: number, y: number, zoom: number): boolean {
    const isThinned = zoom < this.#state.maxZoom && zoom <= MOST_THINNED_ZOOM;
    if (isThinned && !this.#cells.add(zoom, Math.floor(x / CELL), Math.floor(y / CELL))) return false;
    const { left, top, right, bottom } = tilesAround(x, y, x, y, zoom);
    for (let tx = left; tx <= right; tx++)
      for (let ty = top; ty <= bottom; ty++) {
        this.#records.begin(tileId(zoom, tx, ty), this.#facts, 0, MVT.point, isThinned ? IS_THINNED : 0);
        this.#records.point(x - tx * EXTENT, y - ty * EXTENT);
        this.#finishRecord(zoom);
      }
    return true;
  }

  #addLines(lines: readonly Line[], box: Box, zoom: number): void {
    if (this.#isSmall(box, zoom)) {
      this.#addSmall(box, zoom);
      return;
    }
    const step = this.#stepOf(zoom);
    const moved: Line[] = [];
    for (const line of lines) {
      const clean = cleanLine(snapped(line, EXTENT * 2 ** zoom, step));
      if (clean !== null) moved.push(clean);
    }
    if (moved.length === 0) {
      this.#addSmall(box, zoom);
      return;
    }
    if (moved.length < lines.length && zoom === this.#state.maxZoom) this.#hasCollapsed = true;
    const size = diagonal(box, zoom);
    this.#inTiles(moved, boxOf(moved), zoom, cutLines, (parts, x, y) => {
      this.#records.begin(tileId(zoom, x, y), this.#facts, size, MVT.line, 0);
      let isEmpty = true;
      for (const part of parts) {
        const line = cleanLine(part.map(gridPoint));
        if (line === null) continue;
        isEmpty = false;
        this.#records.draw(1, line, 0, 1, x * EXTENT, y * EXTENT);
        this.#records.draw(2, line, 1, line.length / 2 - 1, x * EXTENT, y * EXTENT);
      }
      if (isEmpty) this.#records.cancel();
      else this.#finishRecord(zoom);
    });
  }

  #addPolygons(polygons: readonly Polygon[], box: Box, zoom: number): void {
    if (this.#isSmall(box, zoom)) {
      this.#addSmall(box, zoom);
      return;
    }
    const step = this.#stepOf(zoom);
    const snappedPolygons: Polygon[] = [];
    let hasCollapsed = false;
    for (const polygon of polygons) {
      const pieces = cleanPolygon(polygon.map((ring) => snapped(ring, EXTENT * 2 ** zoom, step)));
      if (pieces.length === 0) hasCollapsed = true;
      for (const piece of pieces) snappedPolygons.push(piece);
    }
    const moved = validPolygons(snappedPolygons);
    if (moved.length === 0) {
      this.#addSmall(box, zoom);
      return;
    }
    if (hasCollapsed && zoom === this.#state.maxZoom) this.#hasCollapsed = true;
    const size = diagonal(box, zoom);
    this.#inTiles(moved, boxOf(moved.map(([shell]) => shell)), zoom, cutPolygons, (parts, x, y, isCut) => {
      this.#records.begin(tileId(zoom, x, y), this.#facts, size, MVT.polygon, 0);
      const polygons = isCut
        ? validPolygons(parts.flatMap((part) => cleanPolygon(part.map((ring) => ring.map(gridPoint)))))
        : parts;
      for (const polygon of polygons)
        for (const ring of polygon) {
          this.#records.draw(1, ring, 0, 1, x * EXTENT, y * EXTENT);
          this.#records.draw(2, ring, 1, ring.length / 2 - 1, x * EXTENT, y * EXTENT);
          this.#records.closePath();
        }
      if (polygons.length === 0) this.#records.cancel();
      else this.#finishRecord(zoom);
    });
  }

  /** Smaller than a step of the grid, at zooms that have smaller ones below them. */
  #isSmall([minX, minY, maxX, maxY]: Box, zoom: number): boolean {
    return zoom < this.#state.maxZoom && Math.max(maxX - minX, maxY - minY) * EXTENT * 2 ** zoom < GRID;
  }

  #stepOf(zoom: number): number {
    return zoom < this.#state.maxZoom ? GRID : 1;
  }

  /** A point in place of a line or polygon without extent. */
  #addSmall([minX, minY, maxX, maxY]: Box, zoom: number): void {
    const { maxZoom, dropsSmall } = this.#state;
    if (dropsSmall && zoom < maxZoom) {
      this.#smallDropped[zoom]++;
      return;
    }
    const scale = EXTENT * 2 ** zoom;
    const isKept = this.#addPoint(
      gridPoint(((minX + maxX) / 2) * scale),
      gridPoint(((minY + maxY) / 2) * scale),
      zoom,
    );
    if (isKept) this.#smallAsPoints[zoom]++;
    else this.#thinned[zoom]++;
  }

  #inTiles<Part>(
    parts: Part[],
    box: Box,
    zoom: number,
    cut: (parts: Part[], axis: 0 | 1, at: number, keepsLow: boolean) => Part[],
    visit: (parts: Part[], x: number, y: number, isCut: boolean) => void,
  ): void {
    const range = tilesAround(box[0], box[1], box[2], box[3], zoom);
    const isOne = range.left === range.right && range.top === range.bottom;
    if (isOne) {
      visit(parts, range.left, range.top, false);
      return;
    }
    const isFew = range.right - range.left <= 1 && range.bottom - range.top <= 1;
    if (isFew && isInAll(box, range)) {
      this.#eachTile(box, zoom, (x, y) => visit(parts, x, y, false));
      return;
    }
    visitTiles(parts, range, SIZE, cut, (found, x, y) => visit(found, x, y, true));
  }

  #eachTile(box: Box, zoom: number, visit: (x: number, y: number) => void): void {
    const { left, top, right, bottom } = tilesAround(box[0], box[1], box[2], box[3], zoom);
    for (let x = left; x <= right; x++) for (let y = top; y <= bottom; y++) visit(x, y);
  }

  #finishRecord(zoom: number): void {
    this.#records.end(this.#facts.attributes);
    const isMany = this.#records.count - this.#countBefore > MOST_TILES;
    if (isMany || this.#records.byteLength > MOST_BYTES)
      throw failure(
        pmtilesErrors.PMTILES_TOO_MANY_TILES,
        { layer: this.#state.layerName, record: this.#row + 1, limit: MOST_TILES, zoom },
        { record: this.#row + 1 },
      );
  }
}

/** The tiles that show something of a box in units. */
function tilesAround(minX: number, minY: number, maxX: number, maxY: number, zoom: number): TileRange {
  const last = 2 ** zoom - 1;
  const within = (tile: number): number => Math.max(0, Math.min(last, tile));
  return {
    left: within(Math.floor((minX - BUFFER) / EXTENT)),
    top: within(Math.floor((minY - BUFFER) / EXTENT)),
    right: within(Math.floor((maxX + BUFFER) / EXTENT)),
    bottom: within(Math.floor((maxY + BUFFER) / EXTENT)),
  };
}

/** Whether each of the tiles shows the whole box. */
function isInAll([minX, minY, maxX, maxY]: Box, { left, top, right, bottom }: TileRange): boolean {
  return (
    minX >= right * EXTENT - BUFFER &&
    maxX <= (left + 1) * EXTENT + BUFFER &&
    minY >= bottom * EXTENT - BUFFER &&
    maxY <= (top + 1) * EXTENT + BUFFER
  );
}

function emptyBox(): Box {
  const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
  return [most, most, least, least];
}

function extend(box: Box, [minX, minY, maxX, maxY]: Readonly<Box>): void {
  if (minX < box[0]) box[0] = minX;
  if (minY < box[1]) box[1] = minY;
  if (maxX > box[2]) box[2] = maxX;
  if (maxY > box[3]) box[3] = maxY;
}

function boxOf(lines: readonly Line[]): Box {
  const box = emptyBox();
  for (const line of lines)
    for (let i = 0; i < line.length; i += 2) {
      const x = line[i];
      const y = line[i + 1];
      if (x < box[0]) box[0] = x;
      if (y < box[1]) box[1] = y;
      if (x > box[2]) box[2] = x;
      if (y > box[3]) box[3] = y;
    }
  return box;
}

/** The square of the diagonal of a box of the world, in units of the zoom. */
function diagonal([minX, minY, maxX, maxY]: Box, zoom: number): number {
  return ((maxX - minX) ** 2 + (maxY - minY) ** 2) * (EXTENT * 2 ** zoom) ** 2;
}

/** 32 bits of a position of the world. */
function hashOf(x: number, y: number): number {
  let mixed = Math.imul(Math.floor(x * 2 ** 31), 0x9e3779b1) ^ Math.imul(Math.floor(y * 2 ** 31), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

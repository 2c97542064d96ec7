/**
 * The first pass over a document: the ranges of waypoints, routes and tracks, cut between points, so that a track of any length
 * is read in parts. Points are skipped by a search for their end tags; their tags are checked when they are read.
 */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { elementText, tagName } from '@geomill/core/text/xml-elements.ts';
import { EndSearch } from '@geomill/core/text/xml-end-search.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { XmlWindow } from '@geomill/io/xml-window.ts';
import type { XmlRoot } from '../xml-document.ts';
import { gpxName } from './names.ts';
import { PIECE, PIECE_STRIDE } from './state.ts';

/** Bytes of a piece: the least that a partition or a sample consists of. */
const PIECE_BYTES = 1 << 18;
const WINDOW_BYTES = 1 << 20;
/** Most bytes of a point, or of another element or comment beside the points. */
const MAX_ELEMENT_BYTES = 1 << 26;
/** Ignored elements that are named. */
const MAX_NAMED = 20;
const WORDS: Readonly<Record<'wpt' | 'rtept' | 'trkpt', Uint8Array>> = {
  wpt: new TextEncoder().encode('wpt'),
  rtept: new TextEncoder().encode('rtept'),
  trkpt: new TextEncoder().encode('trkpt'),
};
/** What of the metadata says nothing beyond the data. */
const DERIVED = new Set(['bounds', 'time']);

export type ElementKind = 'wpt' | 'rte' | 'trk';

export interface Structure {
  readonly elements: Readonly<Record<ElementKind, FoundElements>>;
  readonly rootPrefix: Uint8Array;
  /** Names of elements with data about the file. */
  readonly metadata: readonly string[];
  /** Number of elements of each name that were ignored. */
  readonly ignored: ReadonlyMap<string, number>;
}

/** All elements of a kind. */
export class FoundElements {
  readonly pieces: number[] = [];
  featureCount = 0;
  pointCount = 0;
  readonly #pieceBytes: number;
  #segment = 0;
  #point = 0;

  constructor(pieceBytes: number) {
    this.#pieceBytes = pieceBytes;
  }

  /** An element begins at the offset `start`. */
  feature(start: number): void {
    this.#segment = 0;
    this.#point = 0;
    this.#cutAt(start, 0);
    this.featureCount++;
    this.#add(PIECE.features);
  }

  segmentEnd(): void {
    this.#segment++;
    this.#point = 0;
  }

  point(start: number, level: number): void {
    this.#cutAt(start, level);
    this.pointCount++;
    this.#point++;
    this.#add(PIECE.points);
  }

  /** What was begun ends at `end`. */
  endAt(end: number): void {
    this.pieces[this.pieces.length - PIECE_STRIDE + PIECE.end] = end;
  }

  #add(number: number): void {
    this.pieces[this.pieces.length - PIECE_STRIDE + number]++;
  }

  /** Begins a piece at `start` if the last one is long enough, or another element of great length is between. */
  #cutAt(start: number, level: number): void {
    const { pieces } = this;
    const last = pieces.length - PIECE_STRIDE;
    if (last >= 0 && start - pieces[last] < this.#pieceBytes) return;
    // What is between two pieces of the same element belongs to the first one.
    if (level > 0) pieces[last + PIECE.end] = start;
    const feature = level > 0 ? this.featureCount - 1 : this.featureCount;
    pieces.push(start, start, level, 0, 0, feature, this.#segment, this.#point);
  }
}

/** `partBytes`: wanted size of a piece at most. */
export function readStructure(
  source: ByteSource,
  fileName: string,
  root: XmlRoot<'gpx'>,
  partBytes: number,
): Structure {
  return new StructureReader(source, fileName, root, Math.min(partBytes, PIECE_BYTES)).read();
}

class StructureReader {
  readonly #window: XmlWindow;
  readonly #root: XmlRoot<'gpx'>;
  readonly #elements: Readonly<Record<ElementKind, FoundElements>>;
  readonly #metadata = new Set<string>();
  readonly #ignored = new Map<string, number>();
  readonly #scratch = new ByteWriter(256);
  readonly #ends: EndSearch;
  /** The route or track that is open. */
  #open: FoundElements | null = null;

  constructor(source: ByteSource, fileName: string, root: XmlRoot<'gpx'>, pieceBytes: number) {
    this.#window = new XmlWindow(source, fileName, MAX_ELEMENT_BYTES);
    this.#root = root;
    this.#ends = new EndSearch(this.#window.scanner, root.prefix);
    this.#elements = {
      wpt: new FoundElements(pieceBytes),
      rte: new FoundElements(pieceBytes),
      trk: new FoundElements(pieceBytes),
    };
  }

  read(): Structure {
    const window = this.#window;
    const { scanner } = window;
    window.load(this.#root.start, this.#root.start + WINDOW_BYTES);
    let at = this.#enterRoot();
    while (scanner.depth > 0) {
      const { depth } = scanner;
      try {
        at = this.#step(at);
      } catch (fault) {
        if (!(fault instanceof XmlFault)) throw fault;
        if (!window.needsMore(fault)) throw window.failureOf(fault);
        scanner.depth = depth;
        window.grow(at);
        at = 0;
      }
    }
    this.#checkEnd(at);
    return {
      elements: this.#elements,
      rootPrefix: this.#root.prefix,
      metadata: [...this.#metadata],
      ignored: this.#ignored,
    };
  }

  /** The root's start tag is in the window unless it is very long. */
  #enterRoot(): number {
    const window = this.#window;
    for (;;)
      try {
        return window.scanner.tag(0);
      } catch (fault) {
        if (!(fault instanceof XmlFault)) throw fault;
        if (!window.needsMore(fault)) throw window.failureOf(fault);
        window.scanner.depth = 0;
        window.grow(0);
      }
  }

  /** One tag with what belongs to it. Changes nothing before all of it was in the window. */
  #step(at: number): number {
    const { scanner, base } = this.#window;
    const next = scanner.tag(at);
    if (scanner.isEnd) {
      // 1: a route or track has ended; 2: a segment.
      if (scanner.depth === 1) this.#close(base + next);
      else if (scanner.depth === 2) this.#open?.segmentEnd();
      return next;
    }
    const start = base + scanner.tagStart;
    const depth = scanner.isEmpty ? scanner.depth + 1 : scanner.depth;
    if (depth === 2) return this.#atRoot(start, next);
    const name = gpxName(scanner, this.#root.prefix);
    if (name === 'trkseg' && depth === 3 && this.#open === this.#elements.trk) {
      if (scanner.isEmpty) this.#open.segmentEnd();
      return next;
    }
    const isRoute = this.#open === this.#elements.rte;
    const point = isRoute ? 'rtept' : 'trkpt';
    if (name !== point || depth !== (isRoute ? 3 : 4)) return scanner.skip(next);
    const end = this.#ends.skip(WORDS[point], next, this.#window);
    this.#open?.point(start, depth - 2);
    return end;
  }

  #atRoot(start: number, next: number): number {
    const { scanner, base } = this.#window;
    const name = gpxName(scanner, this.#root.prefix);
    switch (name) {
      case 'wpt': {
        const end = this.#ends.skip(WORDS.wpt, next, this.#window);
        this.#elements.wpt.feature(start);
        this.#elements.wpt.endAt(base + end);
        return end;
      }
      case 'rte':
      case 'trk':
        this.#open = this.#elements[name];
        this.#open.feature(start);
        if (scanner.isEmpty) this.#close(base + next);
        return next;
      case 'metadata':
        return this.#readMetadata(next);
      // Metadata of GPX 1.0.
      case 'name':
      case 'desc':
      case 'url':
      case 'urlname':
        this.#metadata.add(name);
        return scanner.skip(next);
      case 'time':
      case 'bounds':
        return scanner.skip(next);
      default:
        return this.#ignore(next);
    }
  }

  #close(end: number): void {
    this.#open?.endAt(end);
    this.#open = null;
  }

  #readMetadata(at: number): number {
    const { scanner } = this.#window;
    if (scanner.isEmpty) return at;
    const names: string[] = [];
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) break;
      const name = tagName(scanner);
      if (name === 'extensions' && scanner.isEmpty) continue;
      const { text, at: end } = elementText(scanner, at, this.#scratch);
      at = end;
      if (!DERIVED.has(name) && (text !== '' || name !== 'name') && names.length < MAX_NAMED)
        names.push(name);
    }
    for (const name of names) this.#metadata.add(name);
    return at;
  }

  #ignore(at: number): number {
    const { scanner } = this.#window;
    let name = tagName(scanner);
    const end = scanner.skip(at);
    if (/^(\w+:)?(author|email|keywords)$/.test(name)) {
      this.#metadata.add(name);
      return end;
    }
    if (!this.#ignored.has(name) && this.#ignored.size >= MAX_NAMED) name = '…';
    this.#ignored.set(name, (this.#ignored.get(name) ?? 0) + 1);
    return end;
  }

  /** Only white space, comments and processing instructions may follow the root. */
  #checkEnd(at: number): void {
    const window = this.#window;
    for (;;)
      try {
        const next = window.scanner.find(at);
        if (next >= 0)
          throw window.failureOf(new XmlFault(next, 'there is an element after the end of the root element'));
        if (window.reachesEnd) return;
        window.grow(window.scanner.limit);
        at = 0;
      } catch (fault) {
        if (!(fault instanceof XmlFault)) throw fault;
        if (!window.needsMore(fault)) throw window.failureOf(fault);
        window.grow(at);
        at = 0;
      }
  }
}

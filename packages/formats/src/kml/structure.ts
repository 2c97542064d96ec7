/**
 * The first pass over a document: its layers, where their features are, Schemas and shared styles. Placemarks are skipped by
 * a search for their end tag, unless they contain something that could hide it.
 */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { TextHint } from '@geomill/core/columns/text-columns.ts';
import { elementText, tagName } from '@geomill/core/text/xml-elements.ts';
import { EndSearch } from '@geomill/core/text/xml-end-search.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { XmlWindow } from '@geomill/io/xml-window.ts';
import type { XmlRoot } from '../xml-document.ts';
import { isFeatureName, type KmlName, kmlName } from './names.ts';
import { readStyle, type Style } from './styles.ts';

/** Bytes of a part: the least that a partition or a sample consists of. */
const PART_BYTES = 1 << 18;
const WINDOW_BYTES = 1 << 22;
/** Links and ignored elements that are named. */
const MAX_NAMED = 20;

const encoder = new TextEncoder();
const PLACEMARK = encoder.encode('Placemark');
const ID = encoder.encode('id');
const KML_ID = encoder.encode('kml:id');
const NAME = encoder.encode('name');
const TYPE = encoder.encode('type');
const PARENT = encoder.encode('parent');

export interface FoundLayer {
  /** The document or folder; null: it has no name. */
  name: string | null;
  /** As LayerState.parts. */
  readonly parts: number[];
  featureCount: number;
  /** Contains documents or folders. */
  hasInner: boolean;
}

export interface SchemaField {
  readonly name: string;
  readonly hint: TextHint;
  /** The text of displayName; null: there is none. */
  readonly alias: string | null;
  /** Type of the elements of an array. Default: the field is no array. */
  readonly elements?: TextHint;
}

export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly fields: readonly SchemaField[];
  /** The document that it is in. */
  readonly owner: FoundLayer | null;
}

export interface Structure {
  readonly rootPrefix: Uint8Array;
  /**
   * Elements that are placemarks with the fields of a Schema, each field an element: KML 2.0, still written by Google Earth
   * Pro and by programs that convert shapefiles.
   */
  readonly placemarkNames: ReadonlySet<string>;
  /** Documents and folders in their order, also those without features. */
  readonly containers: readonly FoundLayer[];
  readonly schemas: readonly Schema[];
  readonly styles: ReadonlyMap<string, Style>;
  /** Number of shared styles of which only a part is read. */
  readonly reducedCount: number;
  /** Addresses of network links. */
  readonly links: readonly string[];
  readonly linkCount: number;
  /** Number of features that are updates of another document. */
  readonly updateCount: number;
  /** Number of elements of each name that were ignored. */
  readonly ignored: ReadonlyMap<string, number>;
}

/** Network links whose addresses are kept. */
const MAX_LINKS = 10_000;

type Root = XmlRoot<KmlName>;

const HINTS: Readonly<Record<string, TextHint | undefined>> = Object.assign(Object.create(null), {
  string: 'string',
  bool: 'boolean',
  boolean: 'boolean',
  int: 'int32',
  short: 'int32',
  ushort: 'int32',
  uint: 'int64',
  long: 'int64',
  float: 'float64',
  double: 'float64',
  date: 'temporal',
  datetime: 'temporal',
});

/** `partBytes`: wanted size of a part at most. */
export function readStructure(
  source: ByteSource,
  fileName: string,
  root: Root,
  partBytes: number,
): Structure {
  return new StructureReader(source, fileName, root, Math.min(partBytes, PART_BYTES)).read();
}

class StructureReader {
  readonly #window: XmlWindow;
  readonly #root: Root;
  readonly #scratch = new ByteWriter(1024);
  readonly #containers: FoundLayer[] = [];
  /** The open documents and folders, with the depth of their elements. */
  readonly #open: { readonly layer: FoundLayer; readonly depth: number }[] = [];
  readonly #schemas: Schema[] = [];
  readonly #placemarkNames = new Set<string>();
  readonly #styles = new Map<string, Style>();
  readonly #links: string[] = [];
  readonly #ignored = new Map<string, number>();
  #reducedCount = 0;
  #linkCount = 0;
  #updateCount = 0;
  /** The next part begins at the next feature. */
  #isCut = true;
  readonly #ends: EndSearch;
  readonly #partBytes: number;

  constructor(source: ByteSource, fileName: string, root: Root, partBytes: number) {
    this.#partBytes = partBytes;
    this.#window = new XmlWindow(source, fileName);
    this.#root = root;
    this.#ends = new EndSearch(this.#window.scanner, root.prefix);
  }

  read(): Structure {
    const window = this.#window;
    const { scanner } = window;
    window.load(this.#root.start, this.#root.start + WINDOW_BYTES);
    let at = 0;
    let isDone = false;
    while (!isDone) {
      const depth = scanner.depth;
      const containerCount = this.#containers.length;
      try {
        const next = depth === 0 && this.#containers.length > 0 ? -1 : this.#step(at);
        if (next < 0) {
          this.#checkEnd(at);
          isDone = true;
        } else at = next;
      } catch (fault) {
        if (!(fault instanceof XmlFault)) throw fault;
        if (!window.needsMore(fault)) throw window.failureOf(fault);
        scanner.depth = depth;
        // A root that is a feature has been entered, although it is not in the window as a whole.
        if (this.#containers.length > containerCount)
          this.#open.length = this.#containers.length = containerCount;
        window.grow(at, WINDOW_BYTES);
        at = 0;
      }
    }
    return {
      rootPrefix: this.#root.prefix,
      placemarkNames: this.#placemarkNames,
      containers: this.#containers,
      schemas: this.#schemas,
      styles: this.#styles,
      reducedCount: this.#reducedCount,
      links: this.#links,
      linkCount: this.#linkCount,
      updateCount: this.#updateCount,
      ignored: this.#ignored,
    };
  }

  /** One tag of a container with what belongs to it. Changes nothing before all of it was in the window. */
  #step(at: number): number {
    const scanner = this.#window.scanner;
    const next = scanner.tag(at);
    if (scanner.isEnd) {
      this.#isCut = true;
      if (scanner.depth < (this.#open.at(-1)?.depth ?? 0)) this.#open.pop();
      return next;
    }
    const name = kmlName(scanner, this.#root.prefix);
    if (this.#containers.length === 0 && name !== 'Document' && name !== 'Folder') {
      // Features directly in the root.
      this.#enter(name === 'kml' ? scanner.depth : scanner.depth - 1);
      if (name === 'kml') return next;
    }
    const layer = (this.#open.at(-1) as { readonly layer: FoundLayer } | undefined)?.layer ?? null;
    switch (name) {
      case 'kml':
        return next;
      case 'Document':
      case 'Folder':
        this.#isCut = true;
        this.#enter(scanner.depth, scanner.isEmpty);
        return next;
      case 'Placemark':
      case 'GroundOverlay': {
        const start = this.#window.base + scanner.tagStart;
        const end =
          name === 'Placemark' ? this.#ends.skip(PLACEMARK, next, this.#window) : scanner.skip(next);
        if (layer !== null) this.#feature(layer, start, this.#window.base + end);
        return end;
      }
      case 'name': {
        const read = elementText(scanner, next, this.#scratch);
        if (layer !== null) layer.name ??= read.text.trim();
        return read.at;
      }
      case 'Schema':
        return this.#schema(next);
      case 'Style':
      case 'StyleMap':
      case 'CascadingStyle':
        return this.#style(next);
      case 'NetworkLink':
        return this.#link(next);
      case 'visibility':
      case 'open':
      case 'LookAt':
      case 'Camera':
      case 'Region':
      case 'styleUrl':
        return scanner.skip(next);
      case 'NetworkLinkControl':
        return this.#updates(next);
      default: {
        let ignored = tagName(scanner);
        const start = this.#window.base + scanner.tagStart;
        const end = scanner.skip(next);
        if (layer !== null && this.#placemarkNames.has(ignored)) {
          this.#feature(layer, start, this.#window.base + end);
          return end;
        }
        if (!this.#ignored.has(ignored) && this.#ignored.size >= MAX_NAMED) ignored = '…';
        this.#ignored.set(ignored, (this.#ignored.get(ignored) ?? 0) + 1);
        return end;
      }
    }
  }

  #enter(depth: number, isEmpty = false): void {
    const outer = this.#open.at(-1);
    if (outer !== undefined) outer.layer.hasInner = true;
    const layer: FoundLayer = { name: null, parts: [], featureCount: 0, hasInner: false };
    this.#containers.push(layer);
    if (!isEmpty) this.#open.push({ layer, depth });
  }

  #feature(layer: FoundLayer, start: number, end: number): void {
    const { parts } = layer;
    layer.featureCount++;
    const last = parts.length - 3;
    if (!this.#isCut && last >= 0 && start - parts[last] < this.#partBytes) {
      parts[last + 1] = end;
      parts[last + 2]++;
      return;
    }
    // Elements between features belong to the part before.
    if (!this.#isCut && last >= 0) parts[last + 1] = start;
    parts.push(start, end, 1);
    this.#isCut = false;
  }

  #schema(at: number): number {
    const { scanner } = this.#window;
    const scratch = this.#scratch;
    const id = scanner.attributeText(ID, scratch) ?? '';
    const name = scanner.attributeText(NAME, scratch) ?? '';
    const parent = scanner.attributeText(PARENT, scratch);
    const fields: SchemaField[] = [];
    if (!scanner.isEmpty)
      for (;;) {
        at = scanner.tag(at);
        if (scanner.isEnd) break;
        const child = kmlName(scanner, this.#root.prefix);
        const fieldName = scanner.attributeText(NAME, scratch);
        if ((child === 'SimpleField' || child === 'SimpleArrayField') && fieldName !== null) {
          const type = (scanner.attributeText(TYPE, scratch) ?? 'string').replace(/^.*:/, '').toLowerCase();
          const hint = HINTS[type] ?? null;
          const isArray = child === 'SimpleArrayField';
          const read = this.#displayName(at);
          const { alias } = read;
          at = read.at;
          fields.push(
            isArray
              ? { name: fieldName, hint: 'json', alias, elements: hint }
              : { name: fieldName, hint, alias },
          );
        } else at = scanner.skip(at);
      }
    if (parent === 'Placemark' && name !== '') this.#placemarkNames.add(name);
    this.#schemas.push({ id, name, fields, owner: this.#open.at(-1)?.layer ?? null });
    return at;
  }

  /** Reads a declared field, whose start tag was read last, to its end. */
  #displayName(at: number): { readonly at: number; readonly alias: string | null } {
    const { scanner } = this.#window;
    let alias: string | null = null;
    if (scanner.isEmpty) return { at, alias };
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return { at, alias };
      if (kmlName(scanner, this.#root.prefix) !== 'displayName' || scanner.isEmpty) at = scanner.skip(at);
      else {
        const read = elementText(scanner, at, this.#scratch);
        at = read.at;
        alias = read.text.trim() || null;
      }
    }
  }

  #style(at: number): number {
    const { scanner } = this.#window;
    const id = scanner.attributeText(ID, this.#scratch) ?? scanner.attributeText(KML_ID, this.#scratch);
    const style: Style = {};
    at = readStyle(scanner, at, this.#scratch, this.#root.prefix, style);
    if (style.hasMore) this.#reducedCount++;
    if (id !== null && !this.#styles.has(id)) this.#styles.set(id, style);
    return at;
  }

  #link(at: number): number {
    const { scanner } = this.#window;
    let link = '';
    if (!scanner.isEmpty)
      for (const depth = scanner.depth; scanner.depth >= depth; ) {
        at = scanner.tag(at);
        if (scanner.isEnd || kmlName(scanner, this.#root.prefix) !== 'href') continue;
        const read = elementText(scanner, at, this.#scratch);
        at = read.at;
        link = read.text.trim().slice(0, 200);
      }
    this.#linkCount++;
    if (this.#links.length < MAX_LINKS) this.#links.push(link);
    return at;
  }

  /** Counts the features of a NetworkLinkControl, which change those of another document. */
  #updates(at: number): number {
    const { scanner } = this.#window;
    if (scanner.isEmpty) return at;
    let count = 0;
    for (const depth = scanner.depth; scanner.depth >= depth; ) {
      at = scanner.tag(at);
      if (scanner.isEnd) continue;
      const name = kmlName(scanner, this.#root.prefix);
      if (isFeatureName(name)) count++;
    }
    this.#updateCount += count;
    return at;
  }

  /** Only white space, comments and processing instructions may follow the root. */
  #checkEnd(at: number): void {
    const { scanner } = this.#window;
    try {
      const next = scanner.tag(at);
      throw new XmlFault(next, 'there is an element after the end of the root element', scanner.tagStart);
    } catch (fault) {
      if (!(fault instanceof XmlFault) || fault.at < scanner.limit || !this.#window.reachesEnd) throw fault;
    }
  }
}

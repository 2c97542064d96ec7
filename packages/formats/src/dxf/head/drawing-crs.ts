/**
 * The CRS that a drawing states: in the comments that geomill writes at its beginning, or in a GEODATA object, in which
 * CAD programs store the location of a drawing. A comment is lost when a CAD program saves the drawing.
 */

import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { utf8Text } from '@geomill/platform/bytes.ts';
import type { EntityTags } from '../contract.ts';
import { CRS_COMMENT, WKT_COMMENT } from '../crs-comments.ts';
import type { TagFacts } from './drawing-state.ts';
import { visitObjects } from './objects.ts';
import type { Section } from './sections.ts';

/** The comments of geomill are at most this long. */
const HEAD_BYTES = 1 << 15;
/** Kind of coordinates of a GEODATA object. */
const LOCAL_GRID = 1;
/** In drawing units. */
const SAME_POINT = 1e-3;
/** Longer definitions are not of a coordinate system. */
const MAX_DEFINITION = 1 << 18;

export interface DrawingCrs {
  readonly crs: CrsText | null;
  /** Why there is none. */
  readonly missingReason: string;
}

export function drawingCrs(source: ByteSource, facts: TagFacts, sections: readonly Section[]): DrawingCrs {
  const comment = facts.form === 'ascii' ? crsOfComments(source) : null;
  if (comment !== null) return { crs: comment, missingReason: '' };
  let definition: string | null = null;
  let isPlaced = false;
  visitObjects(source, facts, sections, 'GEODATA', (tags) => {
    if (tags.type !== 'GEODATA' || definition !== null) return;
    definition = definitionOf(tags);
    isPlaced = isLocalGrid(tags);
  });
  if (definition === null) return { crs: null, missingReason: 'a DXF states no CRS' };
  if (isPlaced)
    return {
      crs: null,
      missingReason: 'its GEODATA object places a local grid, so its coordinates are not those of a CRS',
    };
  const crs = crsOfDefinition(definition);
  return { crs, missingReason: `its GEODATA object names ${nameIn(definition)}, which has no EPSG code` };
}

/** Whether the design point (code 10) lies elsewhere in the CRS (code 11); with another kind of coordinates (70), code 11 has no meaning. */
function isLocalGrid(tags: EntityTags): boolean {
  const value = (code: number): number => {
    const at = tags.find(code);
    return at < 0 ? Number.NaN : tags.real(at);
  };
  if (value(70) !== LOCAL_GRID) return false;
  return Math.abs(value(10) - value(11)) > SAME_POINT || Math.abs(value(20) - value(21)) > SAME_POINT;
}

/** Comments are the first tags of a file: code 999, then a line of text. */
function crsOfComments(source: ByteSource): CrsText | null {
  const head = utf8Text(source.slice(0, Math.min(source.byteLength, HEAD_BYTES)));
  const lines = head.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const texts: string[] = [];
  for (let i = 0; i + 1 < lines.length && lines[i].trim() === '999'; i += 2) texts.push(lines[i + 1]);
  const first = texts.findIndex((text) => text.startsWith(CRS_COMMENT));
  if (first < 0) return null;
  // A long comment continues in the next ones.
  const [said, wkt] = texts.slice(first).join('').split(WKT_COMMENT, 2);
  const code = /\(([A-Za-z]+:[\w.-]+)\), x east, y north$/.exec(said)?.[1];
  return code ?? (wkt === undefined || wkt === '' ? null : wkt);
}

/** Code 303 and then 301: the parts of the definition. */
function definitionOf(tags: EntityTags): string {
  let text = '';
  for (let at = 0; at < tags.count && text.length < MAX_DEFINITION; at++)
    if (tags.codes[at] === 303 || tags.codes[at] === 301) text += tags.text(at);
  return text.replaceAll('^J', '\n').trim();
}

/** XML of Autodesk with an alias that is an EPSG code, or with a name that stands for one, WKT, or an EPSG code. */
function crsOfDefinition(definition: string): CrsText | null {
  if (definition.startsWith('<')) {
    for (const part of definition.split('</Alias>')) {
      const alias = part.slice(part.lastIndexOf('<Alias'));
      const code = /^<Alias\s[^>]*\bid="(\d{4,6})"/.exec(alias)?.[1];
      if (code !== undefined && /\btype="CoordinateSystem"/.test(alias) && alias.includes('>EPSG Code<'))
        return `EPSG:${code}`;
    }
    return crsOfName(idIn(definition));
  }
  const code = /^(?:EPSG:)?(\d{4,6})$/i.exec(definition)?.[1];
  if (code !== undefined) return `EPSG:${code}`;
  return /^[A-Z][\w]*\s*\[/i.test(definition) ? definition : null;
}

/** Names of CS-Map, the coordinate system library of Autodesk, whose EPSG codes follow from the zone: [name, code of zone 0]. */
const ZONED_NAMES: readonly (readonly [RegExp, number])[] = [
  [/^UTM84-([1-9]|[1-5]\d|60)N$/, 32600],
  [/^UTM84-([1-9]|[1-5]\d|60)S$/, 32700],
  [/^ETRS89\.UTM-(2[89]|3[0-7])N$/, 25800],
  [/^UTM83-([1-9]|1\d|2[0-3])$/, 26900],
];

/** Null: another name. */
function crsOfName(name: string | undefined): CrsText | null {
  if (name === 'BritishNatGrid') return 'EPSG:27700';
  for (const [pattern, base] of ZONED_NAMES) {
    const zone = pattern.exec(name ?? '')?.[1];
    if (zone !== undefined) return `EPSG:${base + Number(zone)}`;
  }
  return null;
}

function idIn(definition: string): string | undefined {
  return /<(?:Projected|Geographic)?CoordinateSystem\s[^>]*\bid="([^"]{1,80})"/.exec(definition)?.[1];
}

function nameIn(definition: string): string {
  const id = idIn(definition);
  return id === undefined ? 'no coordinate system' : `the coordinate system '${id}'`;
}

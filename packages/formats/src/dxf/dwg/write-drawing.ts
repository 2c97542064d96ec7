/** Writes a parsed drawing as the sections that the reader of drawings needs. */
import {
  type BlockRecord,
  CadDictionary,
  type CadDocument,
  type Entity,
  GeoData,
  SpatialFilter,
  type XYZ,
} from '@node-projects/acad-ts';
import { layoutOfBlock } from '../head/tables.ts';
import { type WrittenHandles, writeEntity } from './entities/write-entity.ts';
import type { ParsedDrawing } from './parse.ts';
import type { TagOutput } from './tag-output.ts';

const FROZEN = 1;
const WHITE = 7;
const FILTERS = 'ACAD_FILTER';
const SPATIAL = 'SPATIAL';
const LOCATION = 'ACAD_GEOGRAPHICDATA';
/** Longest text of a tag: longer definitions are divided, as in a DXF. */
const DEFINITION_CHARACTERS = 255;

export interface DrawingFacts {
  /** As $ACADVER: it says how texts are encoded. */
  readonly version: string;
  /** As $DWGCODEPAGE; null: the drawing states none. */
  readonly codePage: string | null;
}

/** Returns the handles of the entities that were written. */
export function writeDrawing(
  output: TagOutput,
  { document, spaces }: ParsedDrawing,
  facts: DrawingFacts,
): WrittenHandles {
  const written: WrittenHandles = new Set();
  section(output, 'HEADER', () => writeHeader(output, document, facts));
  section(output, 'TABLES', () => writeLayers(output, document));
  section(output, 'BLOCKS', () => {
    for (const block of document.blockRecords ?? []) writeBlock(output, block, document, written);
  });
  section(output, 'ENTITIES', () => {
    for (const entity of spaces.model) writeEntity(output, entity, false, written);
    for (const entity of spaces.paper) writeEntity(output, entity, true, written);
  });
  section(output, 'OBJECTS', () => writeObjects(output, document));
  output.begin('EOF');
  output.flush();
  return written;
}

function section(output: TagOutput, name: string, write: () => void): void {
  output.begin('SECTION');
  output.text(2, name);
  write();
  output.begin('ENDSEC');
}

function writeHeader(output: TagOutput, { header }: CadDocument, { version, codePage }: DrawingFacts): void {
  const variable = (name: string, write: () => void): void => {
    output.text(9, name);
    write();
  };
  variable('$ACADVER', () => output.text(1, version));
  if (codePage !== null) variable('$DWGCODEPAGE', () => output.text(3, codePage));
  if (header === null) return;
  variable('$INSUNITS', () => output.number(70, header.insUnits));
  const corner = (name: string, position: XYZ): void => variable(name, () => output.vector(10, position));
  corner('$EXTMIN', header.modelSpaceExtMin);
  corner('$EXTMAX', header.modelSpaceExtMax);
}

function writeLayers(output: TagOutput, { layers }: CadDocument): void {
  output.begin('TABLE');
  output.text(2, 'LAYER');
  for (const layer of layers ?? []) {
    output.begin('LAYER');
    output.text(2, layer.name);
    output.number(70, layer.flags & FROZEN);
    const index = layer.color.isTrueColor ? WHITE : layer.color.index;
    output.number(62, layer.isOn ? index : -index);
    if (layer.color.isTrueColor) output.number(420, layer.color.trueColor);
    if (layer.lineType !== null) output.text(6, layer.lineType.name);
  }
  output.begin('ENDTAB');
}

/** The entities of model space and of the active paper space are those of the section ENTITIES. */
function writeBlock(
  output: TagOutput,
  block: BlockRecord,
  { modelSpace, paperSpace }: CadDocument,
  written: WrittenHandles,
): void {
  if (block === modelSpace || block === paperSpace) return;
  const { blockEntity } = block;
  output.begin('BLOCK');
  output.text(2, block.name);
  output.number(70, blockEntity.flags);
  output.vector(10, blockEntity.basePoint);
  output.text(1, blockEntity.xRefPath ?? '');
  const isPaperSpace = layoutOfBlock(block.name) === 'paper';
  for (const entity of block.entities) writeEntity(output, entity, isPaperSpace, written);
  output.begin('ENDBLK');
}

/** Where the drawing is on the Earth, and which block references show only a part of their block. */
function writeObjects(output: TagOutput, document: CadDocument): void {
  const location = document.modelSpace?.xDictionary?.getEntry(LOCATION);
  if (location instanceof GeoData) writeLocation(output, location);
  for (const { entities } of document.blockRecords ?? [])
    for (const entity of entities) writeFilter(output, entity);
}

function writeLocation(output: TagOutput, location: GeoData): void {
  output.begin('GEODATA');
  output.handle(5, location.handle);
  output.number(70, location.coordinatesType);
  output.vector(10, location.designPoint);
  output.vector(11, location.referencePoint);
  const definition = location.coordinateSystemDefinition;
  for (let at = 0; at < definition.length; at += DEFINITION_CHARACTERS) {
    const isLast = at + DEFINITION_CHARACTERS >= definition.length;
    output.text(isLast ? 301 : 303, definition.slice(at, at + DEFINITION_CHARACTERS));
  }
}

function writeFilter(output: TagOutput, { xDictionary }: Entity): void {
  const filters = xDictionary?.getEntry(FILTERS);
  if (xDictionary === null || !(filters instanceof CadDictionary)) return;
  const filter = filters.getEntry(SPATIAL);
  if (!(filter instanceof SpatialFilter)) return;
  writeDictionary(output, xDictionary, FILTERS, filters.handle);
  writeDictionary(output, filters, SPATIAL, filter.handle);
  output.begin('SPATIAL_FILTER');
  output.handle(5, filter.handle);
  output.number(71, filter.displayBoundary ? 1 : 0);
}

function writeDictionary(output: TagOutput, { handle }: CadDictionary, name: string, entry: number): void {
  output.begin('DICTIONARY');
  output.handle(5, handle);
  output.text(3, name);
  output.handle(360, entry);
}

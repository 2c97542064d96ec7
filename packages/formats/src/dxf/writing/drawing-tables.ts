/** Writes the TABLES section: AutoCAD rejects files in which entities refer to names missing here. */
import { VIEW_ASPECT, wholeView } from './extent.ts';
import { HANDLE, LAYER_HANDLES_START } from './handles.ts';
import { FIELD_LAYER_COLOR, FIXED_LAYERS, layerKey } from './layer-names.ts';
import { type LayerStyle, LINETYPES, type LinetypeName, linetypeRecord } from './layer-styles.ts';
import { type KnownBlocks, blockRecords as pointBlockRecords } from './point-blocks.ts';
import { realText, tagLine, tagLines } from './tag-text.ts';

/** Facts about a drawing that are known only after all of it is written. */
export interface DrawingTotals {
  /** The first free handle. */
  readonly handleSeed: number;
  /** See extent.ts. */
  readonly extent: Float64Array;
  /** Names of layers other than the fixed ones. */
  readonly layers: readonly string[];
  readonly blocks: KnownBlocks;
}

export function drawingTables({ extent, layers, blocks }: DrawingTotals, facts: DrawingFacts): string {
  // Then model space has an extension dictionary, with the GEODATA object.
  const hasGeodata = facts.geodata !== null;
  return (
    tagLines('0 SECTION, 2 TABLES') +
    viewports(extent) +
    linetypes(facts) +
    layerTable(layers, facts) +
    // A font of outlines: the shapes of txt.shx only have Latin letters.
    table('STYLE', HANDLE.styleTable, 1) +
    record('STYLE', HANDLE.styleStandard, HANDLE.styleTable, 'AcDbTextStyleTableRecord', 'Standard') +
    tagLines('40 0.0, 41 1.0, 50 0.0, 71 0, 42 2.5, 3 arial.ttf, 4, 0 ENDTAB') +
    table('VIEW', HANDLE.viewTable, 0) +
    tagLines('0 ENDTAB') +
    table('UCS', HANDLE.ucsTable, 0) +
    tagLines('0 ENDTAB') +
    applications() +
    dimensionStyles() +
    blockRecords(hasGeodata, blocks) +
    tagLines('0 ENDSEC')
  );
}

function table(name: string, handle: string, count: number): string {
  return tagLines(`0 TABLE, 2 ${name}, 5 ${handle}, 330 0, 100 AcDbSymbolTable, 70 ${count}`);
}

/** The first tags of records of all tables; `name` may contain anything except line ends. */
function record(type: string, handle: string, owner: string, className: string, name: string): string {
  return (
    tagLines(`0 ${type}, 5 ${handle}, 330 ${owner}, 100 AcDbSymbolTableRecord, 100 ${className}`) +
    tagLine(2, name) +
    tagLines('70 0')
  );
}

/** One view that shows everything: drawings far from the origin would otherwise open on an empty view. */
function viewports(extent: Float64Array): string {
  const { x, y, height } = wholeView(extent);
  const owner = HANDLE.viewportTable;
  return (
    table('VPORT', owner, 1) +
    record('VPORT', HANDLE.activeViewport, owner, 'AcDbViewportTableRecord', '*Active') +
    tagLines('10 0.0, 20 0.0, 11 1.0, 21 1.0') +
    tagLine(12, realText(x)) +
    tagLine(22, realText(y)) +
    tagLines(
      '13 0.0, 23 0.0, 14 0.5, 24 0.5, 15 0.5, 25 0.5, 16 0.0, 26 0.0, 36 1.0, 17 0.0, 27 0.0, 37 0.0',
    ) +
    tagLine(40, realText(height)) +
    tagLines(`41 ${VIEW_ASPECT}, 42 50.0, 43 0.0, 44 0.0, 50 0.0, 51 0.0, 71 0, 72 1000, 73 1, 74 3`) +
    tagLines('75 0, 76 0, 77 0, 78 0, 281 0, 65 0, 146 0.0, 0 ENDTAB')
  );
}

function linetypes({ layerStyles, dashScale }: DrawingFacts): string {
  const owner = HANDLE.linetypeTable;
  const entry = (handle: string, name: string): string =>
    record('LTYPE', handle, owner, 'AcDbLinetypeTableRecord', name) + tagLines('3, 72 65, 73 0, 40 0.0');
  const used = new Set([...layerStyles.values()].flatMap(({ linetype }) => linetype ?? []));
  return (
    table('LTYPE', owner, 3 + used.size) +
    entry(HANDLE.linetypeByBlock, 'ByBlock') +
    entry(HANDLE.linetypeByLayer, 'ByLayer') +
    entry(HANDLE.linetypeContinuous, 'Continuous') +
    [...used].map((linetype) => dashes(linetype, dashScale)).join('') +
    tagLines('0 ENDTAB')
  );
}

/** `scale`: drawing units for a millimetre on paper. */
function dashes(linetype: LinetypeName, scale: number): string {
  const { name, handle } = linetypeRecord(linetype);
  const lengths = LINETYPES[linetype].map((length) => Number((length * scale).toPrecision(6)));
  const total = lengths.reduce((sum, length) => sum + Math.abs(length), 0);
  return (
    record('LTYPE', handle, HANDLE.linetypeTable, 'AcDbLinetypeTableRecord', name) +
    tagLines(`3, 72 65, 73 ${lengths.length}, 40 ${realText(total)}`) +
    lengths.map((length) => tagLines(`49 ${realText(length)}, 74 0`)).join('')
  );
}

function layerTable(fieldLayers: readonly string[], { layerStyles }: DrawingFacts): string {
  let handle = LAYER_HANDLES_START;
  const entry = (own: string, name: string, color: number): string =>
    layer(own, name, color, layerStyles.get(layerKey(name)));
  const entries = [entry(HANDLE.layerZero, '0', FIELD_LAYER_COLOR)];
  for (const { name, color } of FIXED_LAYERS) entries.push(entry(hex(handle++), name, color));
  for (const name of fieldLayers) entries.push(entry(hex(handle++), name, FIELD_LAYER_COLOR));
  return table('LAYER', HANDLE.layerTable, entries.length) + entries.join('') + tagLines('0 ENDTAB');
}

function layer(handle: string, name: string, color: number, style: LayerStyle | undefined): string {
  const { color: colorTags = null, linetype = null } = style ?? {};
  const pattern = linetype === null ? 'Continuous' : linetypeRecord(linetype).name;
  return (
    record('LAYER', handle, HANDLE.layerTable, 'AcDbLayerTableRecord', name) +
    tagLines(
      `${colorTags ?? `62 ${color}`}, 6 ${pattern}, 370 -3, 390 ${HANDLE.plotStyleNormal}, 347 ${HANDLE.materialGlobal}`,
    )
  );
}

function hex(handle: number): string {
  return handle.toString(16).toUpperCase();
}

function applications(): string {
  const owner = HANDLE.appidTable;
  return (
    table('APPID', owner, 2) +
    record('APPID', HANDLE.appidAcad, owner, 'AcDbRegAppTableRecord', 'ACAD') +
    record('APPID', HANDLE.appidGeomill, owner, 'AcDbRegAppTableRecord', 'GEOMILL') +
    tagLines('0 ENDTAB')
  );
}

/** DIMSTYLE has its handle in code 105, because its code 5 is the name of an arrow block. */
function dimensionStyles(): string {
  const owner = HANDLE.dimstyleTable;
  return (
    table('DIMSTYLE', owner, 1) +
    tagLines(`100 AcDbDimStyleTable, 0 DIMSTYLE, 105 ${HANDLE.dimstyleStandard}, 330 ${owner}`) +
    tagLines('100 AcDbSymbolTableRecord, 100 AcDbDimStyleTableRecord, 2 Standard, 70 0') +
    tagLines('40 1.0, 41 2.5, 42 0.625, 43 3.75, 44 1.25, 45 0.0, 46 0.0, 47 0.0, 48 0.0, 49 2.5, 140 2.5') +
    tagLines('141 2.5, 142 0.0, 143 0.03937007874, 144 1.0, 145 0.0, 146 1.0, 147 0.625, 148 0.0, 69 0') +
    tagLines('71 0, 72 0, 73 0, 74 0, 75 0, 76 0, 77 1, 78 8, 79 3, 170 0, 171 3, 172 1, 173 0, 174 0') +
    tagLines('175 0, 176 0, 177 0, 178 0, 179 2, 271 2, 272 2, 273 2, 274 3, 275 0, 276 0, 277 2, 278 44') +
    tagLines('279 0, 280 0, 281 0, 282 0, 283 0, 284 8, 285 0, 286 0, 288 0, 289 3, 290 0, 371 -2, 372 -2') +
    tagLines('0 ENDTAB')
  );
}

/** Each record points to its layout, whose code 330 points back (drawing-tail.ts). */
function blockRecords(hasGeodata: boolean, blocks: KnownBlocks): string {
  const owner = HANDLE.blockRecordTable;
  const extension = `102 {ACAD_XDICTIONARY, 360 ${HANDLE.modelDictionary}, 102 }, `;
  const entry = (handle: string, name: string, layout: string, more = ''): string =>
    tagLines(`0 BLOCK_RECORD, 5 ${handle}, ${more}330 ${owner}, 100 AcDbSymbolTableRecord`) +
    tagLines(`100 AcDbBlockTableRecord, 2 ${name}, 340 ${layout}, 70 0, 280 1, 281 0`);
  return (
    table('BLOCK_RECORD', owner, 2 + blocks.size) +
    entry(HANDLE.modelSpace, '*Model_Space', HANDLE.modelLayout, hasGeodata ? extension : '') +
    entry(HANDLE.paperSpace, '*Paper_Space', HANDLE.paperLayout) +
    pointBlockRecords(blocks) +
    tagLines('0 ENDTAB')
  );
}

export interface DrawingFacts {
  /** Lines of text about the drawing, for people. */
  readonly comments: readonly string[];
  /** $INSUNITS. */
  readonly unitCode: number;
  readonly isMetric: boolean;
  /** By the keys of the layers. */
  readonly layerStyles: ReadonlyMap<string, LayerStyle>;
  /** Drawing units for a millimetre on paper, in the patterns of linetypes. */
  readonly dashScale: number;
  /** The CRS in a GEODATA object; null: no such object. */
  readonly geodata: { readonly epsg: string; readonly name: string; readonly metresPerUnit: number } | null;
}

/** Checks entities: names are defined, subclass markers present and counts correct. */
import { type Complain, type Drawing, isDefined, where } from './drawing.ts';
import { lintHatch } from './hatch-lint.ts';
import { countOf, first, numberOf, type Structure, subclass, type Tag } from './tags.ts';

/** Subclass markers by entity type; types that AutoCAD supports without an entry in CLASSES. */
const MARKERS: Readonly<Record<string, readonly string[]>> = {
  '3DFACE': ['AcDbFace'],
  ARC: ['AcDbCircle', 'AcDbArc'],
  ATTDEF: ['AcDbText', 'AcDbAttributeDefinition'],
  ATTRIB: ['AcDbText', 'AcDbAttribute'],
  CIRCLE: ['AcDbCircle'],
  DIMENSION: ['AcDbDimension'],
  ELLIPSE: ['AcDbEllipse'],
  HATCH: ['AcDbHatch'],
  INSERT: [],
  LEADER: ['AcDbLeader'],
  LINE: ['AcDbLine'],
  LWPOLYLINE: ['AcDbPolyline'],
  MESH: ['AcDbSubDMesh'],
  MLINE: ['AcDbMline'],
  MTEXT: ['AcDbMText'],
  POINT: ['AcDbPoint'],
  POLYLINE: [],
  RAY: ['AcDbRay'],
  SEQEND: [],
  SOLID: ['AcDbTrace'],
  SPLINE: ['AcDbSpline'],
  TEXT: ['AcDbText'],
  TOLERANCE: ['AcDbFcf'],
  TRACE: ['AcDbTrace'],
  VERTEX: [],
  VIEWPORT: ['AcDbViewport'],
  XLINE: ['AcDbXline'],
};
// AutoCAD does not load a file with a value that is not in this list.
const LINEWEIGHTS = [
  -3, -2, -1, 0, 5, 9, 13, 15, 18, 20, 25, 30, 35, 40, 50, 53, 60, 70, 80, 90, 100, 106, 120, 140, 158, 200,
  211,
];
const MAX_XDATA_TEXT_BYTES = 255;
const MAX_XDATA_BYTES = 16_383;
const MAX_MTEXT_CHUNK = 250;

export function lintEntity(entity: Structure, drawing: Drawing, complain: Complain): void {
  const say = (message: string): void => complain(`${where(entity)}: ${message}`);
  lintCommon(entity, drawing, say);
  lintPositions(entity, say);
  lintXdata(entity, drawing, say);
  const lint = OWN_RULES[entity.type];
  if (lint !== undefined) lint(entity, drawing, say);
}

function lintCommon(entity: Structure, drawing: Drawing, say: Complain): void {
  const markers = MARKERS[entity.type];
  if (markers === undefined && !drawing.classNames.has(entity.type) && entity.type !== 'MLEADER')
    say('AutoCAD knows this type only by an entry in CLASSES');
  const common = subclass(entity, 'AcDbEntity');
  if (common === null) say('there is no AcDbEntity');
  for (const marker of markers ?? []) if (subclass(entity, marker) === null) say(`there is no ${marker}`);
  const layer = first(entity, 8);
  if (layer === undefined) say('there is no layer');
  else if (!isDefined(drawing, 'LAYER', layer)) say(`the layer '${layer}' is not defined`);
  if (common === null) return;
  const linetype = common.find(({ code }) => code === 6)?.value;
  if (linetype !== undefined && !isDefined(drawing, 'LTYPE', linetype))
    say(`the linetype '${linetype}' is not defined`);
  for (const { code, value } of common) {
    const number = Number(value);
    if (code === 370 && !LINEWEIGHTS.includes(number)) say(`${number} is no lineweight`);
    if (code === 62 && (number < 0 || number > 257)) say(`${number} is no colour index`);
    if (code === 420 && (number < 0 || number > 0xffffff)) say(`${number} is no true colour`);
  }
}

/** A point is 10 20 30 (11 21 31, ...) in this order; points in the plane have no 30. */
function lintPositions({ tags }: Structure, say: Complain): void {
  tags.forEach(({ code }, i) => {
    if (code < 10 || code > 18) return;
    // Except in the 40s, a few types use codes of points for single numbers; AutoCAD reads them as pairs anyway.
    if (tags[i + 1]?.code !== code + 10) say(`${code} is not followed by ${code + 10}`);
  });
}

function lintXdata({ xdata }: Structure, drawing: Drawing, say: Complain): void {
  if (xdata.length === 0) return;
  const applications = new Set<string>();
  let depth = 0;
  let byteLength = 0;
  if (xdata[0].code !== 1001) say('XDATA does not begin with an application');
  for (const { code, value } of xdata) {
    byteLength += xdataSize(code, value);
    if (code === 1001) {
      if (depth !== 0) say('braces of XDATA are open');
      if (!isDefined(drawing, 'APPID', value)) say(`the application '${value}' is not defined`);
      if (applications.has(value.toLowerCase())) say(`the application '${value}' is there twice`);
      applications.add(value.toLowerCase());
    } else if (code === 1002) {
      depth += value === '{' ? 1 : -1;
      if (depth < 0) say('braces of XDATA do not match');
    } else if (code === 1003 && !isDefined(drawing, 'LAYER', value)) say(`XDATA names the layer '${value}'`);
    if ((code === 1000 || code === 1003) && Buffer.byteLength(value) > MAX_XDATA_TEXT_BYTES)
      say(`${Buffer.byteLength(value)} bytes in one string of XDATA`);
  }
  if (depth !== 0) say('braces of XDATA do not match');
  if (byteLength > MAX_XDATA_BYTES) say(`${byteLength} bytes of XDATA`);
}

/**
 * The size as AutoCAD counts it: a string has 2 bytes for its length and 1 for its code page, a real 8 bytes, each plus
 * its group code.
 */
function xdataSize(code: number, value: string): number {
  if (code === 1004) return 2 + value.length / 2;
  if (code <= 1003) return 4 + Buffer.byteLength(value);
  if (code === 1070) return 4;
  return code === 1071 ? 6 : 10;
}

type Rule = (entity: Structure, drawing: Drawing, say: Complain) => void;

const OWN_RULES: Readonly<Record<string, Rule>> = {
  LWPOLYLINE: lintLwpolyline,
  HATCH: (entity, _drawing, say) => lintHatch(entity, say),
  MESH: (entity, _drawing, say) => lintMesh(entity, say),
  TEXT: lintText,
  ATTRIB: lintText,
  ATTDEF: lintText,
  MTEXT: lintMtext,
  INSERT: (entity, drawing, say) => {
    const name = first(entity, 2) ?? '';
    if (!isDefined(drawing, 'BLOCK_RECORD', name)) say(`the block '${name}' is not defined`);
    if (subclass(entity, 'AcDbBlockReference') === null && subclass(entity, 'AcDbMInsertBlock') === null)
      say('there is no AcDbBlockReference');
  },
  DIMENSION: (entity, drawing, say) => {
    const style = first(entity, 3) ?? 'Standard';
    if (!isDefined(drawing, 'DIMSTYLE', style)) say(`the dimension style '${style}' is not defined`);
    const block = first(entity, 2);
    if (block !== undefined && !isDefined(drawing, 'BLOCK_RECORD', block))
      say(`the block '${block}' is not defined`);
  },
  VERTEX: (entity, _drawing, say) => {
    if (subclass(entity, 'AcDbVertex') === null && subclass(entity, 'AcDbFaceRecord') === null)
      say('there is neither AcDbVertex nor AcDbFaceRecord');
  },
  SPLINE: (entity, _drawing, say) => {
    const tags = subclass(entity, 'AcDbSpline') ?? [];
    for (const [stated, repeated] of [
      [72, 40],
      [73, 10],
      [74, 11],
    ])
      if ((numberOf(tags, stated) || 0) !== countOf(tags, repeated))
        say(`${stated} says ${numberOf(tags, stated)}, there are ${countOf(tags, repeated)} of ${repeated}`);
  },
};

function lintLwpolyline(entity: Structure, _drawing: Drawing, say: Complain): void {
  const tags = subclass(entity, 'AcDbPolyline') ?? [];
  // AutoCAD ignores "closed" if the count is not the first tag.
  if (tags[0]?.code !== 90) say('90 is not the first of AcDbPolyline');
  const stated = numberOf(tags, 90);
  if (stated !== countOf(tags, 10)) say(`90 says ${stated} vertices, there are ${countOf(tags, 10)}`);
  if (stated < 2) say(`${stated} vertices are no polyline`);
}

function lintMesh(entity: Structure, say: Complain): void {
  const tags = subclass(entity, 'AcDbSubDMesh') ?? [];
  const vertices = numberOf(tags, 92);
  if (vertices !== countOf(tags, 10)) say(`92 says ${vertices} vertices, there are ${countOf(tags, 10)}`);
  const start = tags.findIndex(({ code }) => code === 93);
  const size = Number(tags[start]?.value);
  let at = start + 1;
  const end = at + size;
  while (at < end) {
    const corners = Number(tags[at]?.value);
    if (!(corners >= 3)) {
      say(`a face of ${corners} corners`);
      return;
    }
    for (let k = 1; k <= corners; k++) {
      const { code, value } = tags[at + k] ?? { code: 0, value: '' };
      if (code !== 90 || !(Number(value) >= 0 && Number(value) < vertices))
        say(`face corner ${code} ${value}`);
    }
    at += corners + 1;
  }
  if (at !== end || tags[end]?.code !== 94) say(`93 says ${size} numbers, and they end elsewhere`);
}

function lintText(entity: Structure, drawing: Drawing, say: Complain): void {
  lintStyle(entity, drawing, say);
  const markers = entity.tags.filter(({ code, value }) => code === 100 && value === 'AcDbText').length;
  if (entity.type === 'TEXT' && markers !== 2) say(`${markers} times AcDbText`);
  const isAligned = [72, 73, 74].some((code) => Number(first(entity, code) ?? 0) !== 0);
  if (isAligned && first(entity, 11) === undefined) say('aligned text has no second point');
  if (!(Number(first(entity, 40)) > 0)) say(`the text height is ${first(entity, 40)}`);
  if (first(entity, 1) === undefined) say('there is no text');
}

function lintMtext(entity: Structure, drawing: Drawing, say: Complain): void {
  lintStyle(entity, drawing, say);
  const chunks: readonly Tag[] = (subclass(entity, 'AcDbMText') ?? []).filter(
    ({ code }) => code === 1 || code === 3,
  );
  if (chunks.at(-1)?.code !== 1) say('the text does not end with code 1');
  if (chunks.filter(({ code }) => code === 1).length !== 1) say('code 1 is not there once');
  for (const { value } of chunks)
    if ([...value].length > MAX_MTEXT_CHUNK) say(`a chunk of ${value.length} characters`);
}

function lintStyle(entity: Structure, drawing: Drawing, say: Complain): void {
  const style = first(entity, 7);
  if (style !== undefined && !isDefined(drawing, 'STYLE', style))
    say(`the text style '${style}' is not defined`);
}

/** POLYLINE ... SEQEND and INSERT with ATTRIBs: the parts follow the entity in the declared number. */
export function lintSequences(entities: readonly Structure[], complain: Complain): void {
  let open: Structure | null = null;
  let vertices: Structure[] = [];
  for (const entity of entities) {
    const { type } = entity;
    if (type === 'VERTEX' || type === 'ATTRIB') {
      if (open?.type !== (type === 'VERTEX' ? 'POLYLINE' : 'INSERT'))
        complain(`${where(entity)} belongs to nothing`);
      vertices.push(entity);
    } else if (type === 'SEQEND') {
      if (open === null) complain(`${where(entity)} ends nothing`);
      else if (open.type === 'POLYLINE') lintPolyline(open, vertices, complain);
      open = null;
      vertices = [];
    } else {
      if (open !== null) complain(`${where(open)} has no SEQEND`);
      open =
        type === 'POLYLINE' || (type === 'INSERT' && Number(first(entity, 66) ?? 0) === 1) ? entity : null;
      vertices = [];
    }
  }
  if (open !== null) complain(`${where(open)} has no SEQEND`);
}

const POLYFACE = 64;
const FACE_RECORD = 128;

function lintPolyline(polyline: Structure, vertices: readonly Structure[], complain: Complain): void {
  if ((Number(first(polyline, 70) ?? 0) & POLYFACE) === 0) {
    if (vertices.length < 2) complain(`${where(polyline)} has ${vertices.length} vertices`);
    return;
  }
  const faces = vertices.filter((vertex) => Number(first(vertex, 70)) === FACE_RECORD);
  const positions = vertices.length - faces.length;
  if (Number(first(polyline, 71)) !== positions) complain(`${where(polyline)} has ${positions} vertices`);
  if (Number(first(polyline, 72)) !== faces.length) complain(`${where(polyline)} has ${faces.length} faces`);
  for (const face of faces)
    for (const code of [71, 72, 73, 74])
      if (Math.abs(Number(first(face, code) ?? 0)) > positions)
        complain(`${where(face)} names a vertex that is not there`);
}

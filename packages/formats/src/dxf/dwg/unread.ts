/** Counts the entities of a drawing that its object map lists, but that the parser did not return. */

import type { Findings } from '@geomill/core/messages/findings.ts';
import { Entity, ObjectType } from '@node-projects/acad-ts';
import { dwgFindings } from '../messages.ts';
import type { ParsedDrawing } from './parse.ts';

/** Types of entities with a fixed number, and their names in a DXF. Ends of blocks and of lists of vertices are not counted: nothing is missing without them. */
const ENTITY_TYPES: ReadonlyMap<number, string> = new Map([
  [ObjectType.TEXT, 'TEXT'],
  [ObjectType.ATTRIB, 'ATTRIB'],
  [ObjectType.ATTDEF, 'ATTDEF'],
  [ObjectType.INSERT, 'INSERT'],
  [ObjectType.MINSERT, 'INSERT'],
  [ObjectType.VERTEX_2D, 'VERTEX'],
  [ObjectType.VERTEX_3D, 'VERTEX'],
  [ObjectType.VERTEX_MESH, 'VERTEX'],
  [ObjectType.VERTEX_PFACE, 'VERTEX'],
  [ObjectType.VERTEX_PFACE_FACE, 'VERTEX'],
  [ObjectType.POLYLINE_2D, 'POLYLINE'],
  [ObjectType.POLYLINE_3D, 'POLYLINE'],
  [ObjectType.POLYLINE_PFACE, 'POLYLINE'],
  [ObjectType.POLYLINE_MESH, 'POLYLINE'],
  [ObjectType.ARC, 'ARC'],
  [ObjectType.CIRCLE, 'CIRCLE'],
  [ObjectType.LINE, 'LINE'],
  [ObjectType.DIMENSION_ORDINATE, 'DIMENSION'],
  [ObjectType.DIMENSION_LINEAR, 'DIMENSION'],
  [ObjectType.DIMENSION_ALIGNED, 'DIMENSION'],
  [ObjectType.DIMENSION_ANG_3_Pt, 'DIMENSION'],
  [ObjectType.DIMENSION_ANG_2_Ln, 'DIMENSION'],
  [ObjectType.DIMENSION_RADIUS, 'DIMENSION'],
  [ObjectType.DIMENSION_DIAMETER, 'DIMENSION'],
  [ObjectType.POINT, 'POINT'],
  [ObjectType.FACE3D, '3DFACE'],
  [ObjectType.SOLID, 'SOLID'],
  [ObjectType.TRACE, 'TRACE'],
  [ObjectType.SHAPE, 'SHAPE'],
  [ObjectType.VIEWPORT, 'VIEWPORT'],
  [ObjectType.ELLIPSE, 'ELLIPSE'],
  [ObjectType.SPLINE, 'SPLINE'],
  [ObjectType.REGION, 'REGION'],
  [ObjectType.SOLID3D, '3DSOLID'],
  [ObjectType.BODY, 'BODY'],
  [ObjectType.RAY, 'RAY'],
  [ObjectType.XLINE, 'XLINE'],
  [ObjectType.OLEFRAME, 'OLEFRAME'],
  [ObjectType.MTEXT, 'MTEXT'],
  [ObjectType.LEADER, 'LEADER'],
  [ObjectType.TOLERANCE, 'TOLERANCE'],
  [ObjectType.MLINE, 'MLINE'],
  [ObjectType.OLE2FRAME, 'OLE2FRAME'],
  [ObjectType.LWPOLYLINE, 'LWPOLYLINE'],
  [ObjectType.HATCH, 'HATCH'],
  [ObjectType.ACAD_PROXY_ENTITY, 'ACAD_PROXY_ENTITY'],
]);
/** Entities that end others, and that nobody misses. */
const MARKS: ReadonlySet<number> = new Set([ObjectType.BLOCK, ObjectType.ENDBLK, ObjectType.SEQEND]);

/** `isWide`: from 2010 on, the type has another form. */
export function noteUnread(
  { document, objectMap, objectBytes }: ParsedDrawing,
  written: ReadonlySet<number>,
  isWide: boolean,
  findings: Findings,
): void {
  const classes = new Map([...(document.classes ?? [])].map((one) => [one.classNumber, one]));
  for (const [handle, offset] of objectMap) {
    if (written.has(handle)) continue;
    const { cadObject } = document.tryGetCadObject(handle);
    if (cadObject !== null && !(cadObject instanceof Entity)) continue;
    const type = typeAt(objectBytes, offset, isWide);
    const known = classes.get(type);
    // An object that is no entity, or the mark of an end.
    if (MARKS.has(type) || (known !== undefined && !known.isAnEntity)) continue;
    const name = ENTITY_TYPES.get(type) ?? known?.dxfName;
    if (name !== undefined)
      findings.note(dwgFindings.DWG_OBJECTS_UNREAD, { type: name }, { id: hex(handle) });
  }
}

const hex = (handle: number): string => handle.toString(16).toUpperCase();

/** The number of the type of the object; NaN outside of the bytes. */
function typeAt(bytes: Uint8Array, offset: number, isWide: boolean): number {
  const sizeAt = offset;
  let at = sizeAt;
  // The size: pairs of bytes, of which the last has no highest bit.
  do at += 2;
  while (at < bytes.length && (bytes[at - 1] & 0x80) !== 0);
  if (!isWide) return shortAt(bytes, at * 8);
  // The size of the handles.
  do at++;
  while (at < bytes.length && (bytes[at - 1] & 0x80) !== 0);
  const form = bitsAt(bytes, at * 8, 2);
  if (form === 0) return bitsAt(bytes, at * 8 + 2, 8);
  if (form === 1) return 0x1f0 + bitsAt(bytes, at * 8 + 2, 8);
  return swapped(bitsAt(bytes, at * 8 + 2, 16));
}

/** A number of 0, 8 or 16 bits, or 256, by the two bits before it. */
function shortAt(bytes: Uint8Array, bit: number): number {
  const form = bitsAt(bytes, bit, 2);
  if (form === 0) return swapped(bitsAt(bytes, bit + 2, 16));
  if (form === 1) return bitsAt(bytes, bit + 2, 8);
  return form === 2 ? 0 : 256;
}

const swapped = (value: number): number => ((value & 0xff) << 8) | (value >> 8);

function bitsAt(bytes: Uint8Array, bit: number, count: number): number {
  let value = 0;
  for (let i = bit; i < bit + count; i++) value = (value << 1) | ((bytes[i >> 3] >> (7 - (i & 7))) & 1);
  return value;
}

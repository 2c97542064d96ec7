/** Writes an entity of the parser, with its vertices or attributes, as records. */
import {
  type Entity,
  Insert,
  PolyfaceMesh,
  Polyline,
  UnknownEntity,
  Vertex,
  VertexFaceRecord,
} from '@node-projects/acad-ts';
import { VERTEX_FLAG } from '../../shapes/mesh.ts';
import { SHAPES } from '../../shapes/shapes.ts';
import type { TagOutput } from '../tag-output.ts';
import { blockEntities } from './blocks.ts';
import { writeHead, writeXdata } from './entity-head.ts';
import type { EntityWriters } from './entity-writer.ts';
import { hatchEntities } from './hatches.ts';
import { lineEntities } from './lines.ts';
import { simpleEntities } from './simple.ts';
import { textEntities } from './texts.ts';

const WRITERS: EntityWriters = new Map([
  ...simpleEntities,
  ...lineEntities,
  ...textEntities,
  ...hatchEntities,
  ...blockEntities,
]);

/** Handles of the entities that were written: the others of the drawing could not be read. */
export type WrittenHandles = Set<number>;

/**
 * Writes an entity, or nothing: where a drawing is damaged, the parser returns objects of another class than their place says, or without some
 * members.
 */
export function writeEntity(
  output: TagOutput,
  entity: Entity,
  isPaperSpace: boolean,
  written: WrittenHandles,
): void {
  const own: WrittenHandles = new Set();
  try {
    output.whole(() => writeRecords(output, entity, isPaperSpace, own));
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return;
    throw error;
  }
  for (const handle of own) written.add(handle);
}

/** Of types without geometry, the head is written: the reader of drawings reports them. */
function writeRecords(
  output: TagOutput,
  entity: Entity,
  isPaperSpace: boolean,
  written: WrittenHandles,
): void {
  // The parser has only its name: without its tags it would seem to be damaged.
  if (entity instanceof UnknownEntity && SHAPES.has(entity.objectName)) return;
  written.add(entity.handle);
  writeHead(output, entity.objectName, entity, isPaperSpace);
  const write = WRITERS.get(entity.constructor);
  if (write !== undefined) write(output, entity);
  else if (!(entity instanceof UnknownEntity)) output.text(100, entity.subclassMarker);
  writeXdata(output, entity);
  if (entity instanceof Polyline) writeVertices(output, entity, isPaperSpace, written);
  else if (entity instanceof Insert && entity.hasAttributes) {
    for (const attribute of entity.attributes) writeRecords(output, attribute, isPaperSpace, written);
    output.begin('SEQEND');
  }
}

function writeVertices(
  output: TagOutput,
  polyline: Polyline,
  isPaperSpace: boolean,
  written: WrittenHandles,
): void {
  const faces = polyline instanceof PolyfaceMesh ? polyline.faces : [];
  for (const vertex of [...polyline.vertices, ...faces]) {
    written.add(vertex.handle);
    if (!(vertex instanceof Vertex)) continue;
    writeHead(output, 'VERTEX', vertex, isPaperSpace);
    output.text(100, 'AcDbVertex');
    output.vector(10, vertex.location);
    const kind = vertex instanceof VertexFaceRecord ? VERTEX_FLAG.face : positionFlag(polyline);
    output.number(70, vertex.flags | kind);
    if (vertex.bulge !== 0) output.number(42, vertex.bulge);
    if (vertex instanceof VertexFaceRecord) {
      output.number(71, vertex.index1);
      output.number(72, vertex.index2);
      output.number(73, vertex.index3);
      output.number(74, vertex.index4);
    }
  }
  output.begin('SEQEND');
}

const FACE_POSITION = VERTEX_FLAG.position | VERTEX_FLAG.face;

function positionFlag(polyline: Polyline): number {
  return polyline instanceof PolyfaceMesh ? FACE_POSITION : 0;
}

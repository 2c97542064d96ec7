/** What the modules that write entities as tags share. */
import type { Entity } from '@node-projects/acad-ts';
import type { TagOutput, Vector } from '../tag-output.ts';

/** Writes the tags of an entity after those that all entities have. */
export type EntityWriter<Kind extends Entity> = (output: TagOutput, entity: Kind) => void;

type EntityClass<Kind extends Entity> = abstract new (...given: never[]) => Kind;

/** By class of the parser; a class that is not in the list has no geometry. */
export type EntityWriters = ReadonlyMap<unknown, EntityWriter<Entity>>;

/** An entry of the table; the cast is right because the table is asked with the class of the entity. */
export function entityWriter<Kind extends Entity>(
  type: EntityClass<Kind>,
  write: EntityWriter<Kind>,
): readonly [unknown, EntityWriter<Entity>] {
  return [type, write as EntityWriter<Entity>];
}

/** The extrusion direction, unless it is the usual one. */
export function writeNormal(output: TagOutput, normal: Vector): void {
  if (normal.x !== 0 || normal.y !== 0 || normal.z !== 1) output.vector(210, normal);
}

/** Counts the content of ENTITIES of a written drawing in its raw tags. */
import { parseTags, sectionsOf, structuresOf } from './tags.ts';

export interface Drawn {
  /** Number of entities without those that belong to another (VERTEX, SEQEND). */
  readonly entities: number;
  /** Number of features by their marks in XDATA. */
  readonly features: number;
}

export function countDrawn(text: string): Drawn {
  const fail = (message: string): void => {
    throw new Error(message);
  };
  const section = sectionsOf(parseTags(text, fail), fail).find(({ name }) => name === 'ENTITIES');
  const all = structuresOf(section?.tags ?? [], fail);
  const entities = all.filter(({ type }) => type !== 'VERTEX' && type !== 'SEQEND');
  const marked = entities.filter(({ xdata }) =>
    xdata.some(({ code, value }) => code === 1000 && value.startsWith('feature:')),
  );
  return { entities: entities.length, features: marked.length };
}

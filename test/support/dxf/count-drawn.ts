/** What stands in ENTITIES of a drawing of ours, counted from its raw tags. */
import { parseTags, sectionsOf, structuresOf } from './tags.ts';

export interface Drawn {
  /** Entities, those that belong to another (VERTEX, SEQEND) not counted. */
  readonly entities: number;
  /** Features, by their marks in XDATA. */
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

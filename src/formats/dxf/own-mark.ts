/** How entities that geomill wrote are told from others: the first strings of their XDATA. */
import type { EntityTags } from './contract.ts';

/** The application that our XDATA is registered for. */
export const OWN_APPLICATION = 'GEOMILL';
const FIRST_XDATA_CODE = 1000;
const APPLICATION_CODE = 1001;
const STRING_CODE = 1000;

/** Index of the tag that begins our XDATA; -1 where there is none. XDATA is last in an entity. */
export function ownDataAt(tags: EntityTags): number {
  const { codes, count } = tags;
  if (count === 0 || codes[count - 1] < FIRST_XDATA_CODE) return -1;
  for (let i = count - 1; i >= 0 && codes[i] >= FIRST_XDATA_CODE; i--)
    if (codes[i] === APPLICATION_CODE && tags.text(i).trim() === OWN_APPLICATION) return i;
  return -1;
}

/** Whether the entity goes on with the feature of the entity before it. */
export function isOwnPart(tags: EntityTags): boolean {
  const at = ownDataAt(tags);
  return at >= 0 && at + 1 < tags.count && tags.codes[at + 1] === STRING_CODE && tags.text(at + 1) === 'part';
}

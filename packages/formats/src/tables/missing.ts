/** Texts that programs write for a missing value. */
import type { CellBytes } from './sample.ts';

/** In lower case. */
const WORDS = new Set([
  ...['null', '<null>', '(null)', 'nil', 'nan', 'na', '<na>', 'n/a', '#n/a', '#na', 'n.a.'],
  ...['none', '\\n', '-', '--'],
]);
const LONGEST = Math.max(...[...WORDS].map((word) => word.length));

/** Whether the cell, which has a text, says that there is no value. */
export function isMissing({ bytes, start, end }: CellBytes): boolean {
  if (end - start > LONGEST) return false;
  let text = '';
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
  return isMissingText(text);
}

export function isMissingText(text: string): boolean {
  return WORDS.has(text.toLowerCase());
}

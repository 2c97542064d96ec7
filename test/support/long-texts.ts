/** Inputs with one text of a wanted length at every place that their format has for one: test/fixtures/<id>/long-texts.ts. */
import { join } from 'node:path';

/** Writes a file to the path; `text` has only ASCII letters. */
export type LongTexts = Readonly<Record<string, (path: string, text: string) => Promise<unknown> | unknown>>;

export async function longTextsOf(format: string): Promise<LongTexts> {
  const { longTexts } = (await import(`../fixtures/${format}/long-texts.ts`)) as { longTexts: LongTexts };
  return longTexts;
}

/** Writes the file of a case into a directory; its path. */
export async function writeLongText(
  directory: string,
  format: string,
  name: string,
  text: string,
): Promise<string> {
  const path = join(directory, 'input.dat');
  await (await longTextsOf(format))[name](path, text);
  return path;
}

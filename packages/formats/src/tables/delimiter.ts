/** The delimiters that CSV files use, by their byte and by the names that options and messages give them. */
import { COMMA, PIPE, SEMICOLON, TAB } from '@geomill/core/text/ascii.ts';

/** In the order in which they are tried on a header. */
export const DELIMITERS: readonly number[] = [COMMA, SEMICOLON, TAB, PIPE];

const BY_NAME: Readonly<Record<string, number>> = {
  ',': COMMA,
  comma: COMMA,
  ';': SEMICOLON,
  semicolon: SEMICOLON,
  '\t': TAB,
  tab: TAB,
  '|': PIPE,
  pipe: PIPE,
};

/** The byte of a validated `delimiter` option; null if the option is not given. */
export function delimiterOption(value: unknown): number | null {
  return typeof value === 'string' ? BY_NAME[value] : null;
}

export function delimiterName(delimiter: number): string {
  return delimiter === TAB ? 'a tab' : `'${String.fromCharCode(delimiter)}'`;
}

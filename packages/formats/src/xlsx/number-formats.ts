/** What the number format of a cell says its number is. */
export const NUMBER_CELL = 0;
export const DATE_CELL = 1;
export const DATETIME_CELL = 2;
export const TIME_CELL = 3;
/** Elapsed hours, minutes or seconds, such as `[h]:mm`. */
export const DURATION_CELL = 4;

/** Formats that have a number and no text in the file; others up to 163 depend on the language and are dates in East Asia. */
function builtIn(id: number): number {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58))
    return DATE_CELL;
  if (id === 46) return DURATION_CELL;
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47)) return TIME_CELL;
  return id === 22 ? DATETIME_CELL : NUMBER_CELL;
}

/** The kind of a number with this format; `code`: the text of a custom format. */
export function kindOfFormat(id: number, code: string | undefined): number {
  return code === undefined ? builtIn(id) : kindOfCode(code);
}

/** Longer codes are read up to here; programs limit them to 255. */
const MAX_CODE = 1024;

function kindOfCode(code: string): number {
  // Only the section for positive numbers; without texts, escaped characters, fill characters, colours and conditions.
  const plain = code
    .slice(0, MAX_CODE)
    .replace(/"[^"]*"?/g, '')
    .replace(/[\\_*]./g, '')
    .replace(/\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '')
    .split(';', 1)[0]
    .toLowerCase();
  if (/general|standard/.test(plain)) return NUMBER_CELL;
  const hasTime = /[hs]|\[m+\]|am\/pm|a\/p/.test(plain);
  // The letters of "am/pm" are no months.
  const letters = plain.replace(/am\/pm|a\/p/g, '');
  const hasDate = /[yde]/.test(letters.replace(/[0#?.]+e[+-]/g, '')) || (!hasTime && letters.includes('m'));
  if (hasDate) return hasTime ? DATETIME_CELL : DATE_CELL;
  if (!hasTime) return NUMBER_CELL;
  return /\[(?:h+|m+|s+)\]/.test(plain) ? DURATION_CELL : TIME_CELL;
}

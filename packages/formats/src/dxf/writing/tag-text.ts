/** Constant parts of a drawing in a short notation: "0 LAYER, 5 27, 2 Name" is three tags. */

/**
 * Converts tags to lines of a DXF file: a line for the code, a line for the value. In `list`, tags are separated by ",
 * " and a code ends at the first blank; a code alone has an empty value.
 */
export function tagLines(list: string): string {
  let lines = '';
  for (const tag of list.split(/,\s+/)) {
    const blank = tag.indexOf(' ');
    lines += blank < 0 ? `${tag}\n\n` : `${tag.slice(0, blank)}\n${tag.slice(blank + 1)}\n`;
  }
  return lines;
}

/** One tag; the value may contain anything except line ends. */
export function tagLine(code: number, value: string | number): string {
  return `${code}\n${value}\n`;
}

/** A real number as a DXF value: with a point or an exponent, so that no reader takes it for an integer. */
export function realText(value: number): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** The tags of a point: codes `code`, `code + 10`, `code + 20`. */
export function pointLines(code: number, x: number, y: number, z: number): string {
  return tagLine(code, realText(x)) + tagLine(code + 10, realText(y)) + tagLine(code + 20, realText(z));
}

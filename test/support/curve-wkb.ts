/** Converts text of curves to well-known binary: the product reads curves but does not write them. */

export type ByteOrder = 'iso little' | 'iso big' | 'ewkb little' | 'ewkb big';

const TYPES: Readonly<Record<string, number>> = {
  POINT: 1,
  LINESTRING: 2,
  POLYGON: 3,
  GEOMETRYCOLLECTION: 7,
  CIRCULARSTRING: 8,
  COMPOUNDCURVE: 9,
  CURVEPOLYGON: 10,
  MULTICURVE: 11,
  MULTISURFACE: 12,
};
/** The type of a member without a name. */
const UNNAMED: Readonly<Record<number, number>> = { 9: 2, 10: 2, 11: 2, 12: 3 };

/** `text` is well formed, with one blank between name and letters, and letters at every name that has them. */
export function curveWkb(text: string, order: ByteOrder): Uint8Array {
  const isLittle = order.endsWith('little');
  const chunks: Buffer[] = [];
  let rest = text;
  const take = (pattern: RegExp): string => {
    const found = pattern.exec(rest);
    if (found === null) throw new Error(`${pattern} is not at '${rest}'`);
    rest = rest.slice(found[0].length);
    return found[0];
  };
  const uint32 = (value: number): void => {
    const chunk = Buffer.alloc(4);
    if (isLittle) chunk.writeUInt32LE(value);
    else chunk.writeUInt32BE(value);
    chunks.push(chunk);
  };
  const float64 = (value: number): void => {
    const chunk = Buffer.alloc(8);
    if (isLittle) chunk.writeDoubleLE(value);
    else chunk.writeDoubleBE(value);
    chunks.push(chunk);
  };
  const header = (type: number, letters: string): void => {
    chunks.push(Buffer.of(isLittle ? 1 : 0));
    const [z, m] = [letters.includes('Z'), letters.includes('M')];
    if (order.startsWith('iso')) uint32(type + (z ? 1000 : 0) + (m ? 2000 : 0));
    else uint32((type | (z ? 0x80000000 : 0) | (m ? 0x40000000 : 0)) >>> 0);
  };
  /** Writes a list in parentheses and then the count before it. */
  const list = (item: () => void): void => {
    const at = chunks.length;
    let count = 0;
    take(/^\(/);
    do {
      item();
      count++;
    } while (take(/^[,)]/) === ',');
    const inner = chunks.splice(at);
    uint32(count);
    chunks.push(...inner);
  };
  const position = (): void => {
    for (const number of take(/^[^,)]+/).split(' ')) float64(Number(number));
  };
  const body = (type: number, letters: string): void => {
    if (rest.startsWith('EMPTY')) {
      take(/^EMPTY/);
      uint32(0);
    } else if (type === 1) {
      take(/^\(/);
      position();
      take(/^\)/);
    } else if (type === 2 || type === 8) list(position);
    else if (type === 3) list(() => list(position));
    else list(() => geometry(UNNAMED[type], letters));
  };
  const geometry = (unnamed: number, outerLetters: string): void => {
    const [name, letters = ''] = rest.startsWith('(')
      ? ['']
      : take(/^[A-Z]+( Z?M?(?= ))? /)
          .trim()
          .split(' ');
    const type = name === '' ? unnamed : TYPES[name];
    header(type, name === '' ? outerLetters : letters);
    body(type, name === '' ? outerLetters : letters);
  };
  geometry(0, '');
  return Buffer.concat(chunks);
}

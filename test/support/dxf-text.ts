/** Creates small drawings from lists of tags, as text and in binary. */
export type Tag = readonly [code: number, value: string | number];

/** The text form; `eol` ends every line. */
export function textDrawing(tags: readonly Tag[], eol = '\n'): string {
  return tags.map(([code, value]) => `${String(code).padStart(3)}${eol}${value}${eol}`).join('');
}

/** A section with these tags. */
export function section(name: string, tags: readonly Tag[]): Tag[] {
  return [[0, 'SECTION'], [2, name], ...tags, [0, 'ENDSEC']];
}

export const EOF: Tag = [0, 'EOF'];

/** The binary form; codes have one byte as in R12, or two. Supports only the codes that tests use. */
export function binaryDrawing(tags: readonly Tag[], codeBytes: 1 | 2): Uint8Array {
  const parts: Buffer[] = [Buffer.from('AutoCAD Binary DXF\r\n\x1a\0', 'latin1')];
  for (const [code, value] of tags) parts.push(binaryCode(code, codeBytes), binaryValue(code, value));
  return Buffer.concat(parts);
}

function binaryCode(code: number, codeBytes: 1 | 2): Buffer {
  const wide = Buffer.alloc(2);
  wide.writeUInt16LE(code);
  if (codeBytes === 2) return wide;
  return code < 255 ? Buffer.of(code) : Buffer.concat([Buffer.of(255), wide]);
}

function binaryValue(code: number, value: string | number): Buffer {
  const bytes = Buffer.alloc(8);
  if ((code >= 10 && code <= 59) || (code >= 110 && code <= 149) || (code >= 210 && code <= 239)) {
    bytes.writeDoubleLE(Number(value));
    return bytes;
  }
  if (code >= 1010 && code <= 1059) {
    bytes.writeDoubleLE(Number(value));
    return bytes;
  }
  if (
    (code >= 60 && code <= 79) ||
    (code >= 170 && code <= 179) ||
    (code >= 270 && code <= 289) ||
    code === 1070
  ) {
    bytes.writeInt16LE(Number(value));
    return bytes.subarray(0, 2);
  }
  if ((code >= 90 && code <= 99) || (code >= 420 && code <= 429) || code === 1071) {
    bytes.writeInt32LE(Number(value));
    return bytes.subarray(0, 4);
  }
  if (code >= 290 && code <= 299) return Buffer.of(Number(value));
  if (code === 1004 || (code >= 310 && code <= 319)) {
    const chunk = Buffer.from(String(value), 'hex');
    return Buffer.concat([Buffer.of(chunk.length), chunk]);
  }
  return Buffer.from(`${value}\0`, 'utf8');
}

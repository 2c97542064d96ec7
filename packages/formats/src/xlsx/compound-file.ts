/** Compound files ([MS-CFB]), the containers of old Office documents and of encrypted new ones. */

import type { ByteSource } from '@geomill/io/byte-source.ts';
import { byteView, compareBytes } from '@geomill/platform/bytes.ts';

const MAGIC = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);
/** Sectors of the directory that are searched: its first entries name the streams. */
const SEARCH_BYTES = 4096;
/** Stream of an encrypted package ([MS-OFFCRYPTO] 2.3.4.4). */
const ENCRYPTED = Uint8Array.from(
  'EncryptedPackage'.split('').flatMap((letter) => [letter.charCodeAt(0), 0]),
);

/** Whether the file is an Office document of XML parts that is encrypted. */
export function isEncryptedDocument(source: ByteSource): boolean {
  const head = source.slice(0, 512);
  if (head.length < 512 || compareBytes(MAGIC, head.subarray(0, MAGIC.length)) !== 0) return false;
  const view = new DataView(head.buffer, head.byteOffset);
  const sectorShift = view.getUint16(30, true);
  if (sectorShift !== 9 && sectorShift !== 12) return false;
  const start = (view.getUint32(48, true) + 1) * 2 ** sectorShift;
  const directory = source.slice(start, start + SEARCH_BYTES);
  return byteView(directory).indexOf(ENCRYPTED) >= 0;
}

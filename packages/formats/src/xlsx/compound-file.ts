/** Compound files ([MS-CFB]), the containers of old Office documents and of encrypted new ones. */
import type { ByteSource } from '@geomill/io/byte-source.ts';

const MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** Sectors of the directory that are searched: its first entries name the streams. */
const SEARCH_BYTES = 4096;
/** Stream of an encrypted package ([MS-OFFCRYPTO] 2.3.4.4). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/** Whether the file is an Office document of XML parts that is encrypted. */
export function isEncryptedDocument(source: ByteSource): boolean {
  const head = source.slice(0, 512);
  if (head.length < 512 || !MAGIC.equals(head.subarray(0, MAGIC.length))) return false;
  const view = new DataView(head.buffer, head.byteOffset);
  const sectorShift = view.getUint16(30, true);
  if (sectorShift !== 9 && sectorShift !== 12) return false;
  const start = (view.getUint32(48, true) + 1) * 2 ** sectorShift;
  const directory = source.slice(start, start + SEARCH_BYTES);
  return Buffer.from(directory).includes(ENCRYPTED);
}

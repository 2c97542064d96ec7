/**
 * Reads the members of a zip into memory with yauzl and writes them without compression, for tests that check or damage
 * them.
 */
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';

export interface Member {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const openZip = promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer);

export async function readZipMembers(bytes: Buffer): Promise<Member[]> {
  const zip = await openZip(bytes, { lazyEntries: true });
  const members: Member[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    zip.on('error', reject);
    zip.on('end', resolve);
    zip.on('entry', (entry: yauzl.Entry) => {
      if (entry.fileName.endsWith('/')) return zip.readEntry();
      zip.openReadStream(entry, async (error, stream) => {
        if (error !== null) return reject(error);
        members.push({ name: entry.fileName, bytes: Uint8Array.from(Buffer.concat(await stream.toArray())) });
        zip.readEntry();
      });
    });
  });
  zip.readEntry();
  await ended;
  return members;
}

const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER_BYTES = 46;
const END_BYTES = 22;
const VERSION = 20;

/**
 * A zip of stored members with correct checksums, so that damage inside a member is not detected by them (APPNOTE
 * 6.3.10, 4.3).
 */
export function storedZip(members: readonly Member[]): Uint8Array {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of members) {
    const nameBytes = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(VERSION, 0);
    facts.writeUInt16LE(0x0800, 2); // names are UTF-8
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(bytes.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(nameBytes.length, 22);
    const localHeader = Buffer.alloc(LOCAL_HEADER_BYTES);
    localHeader.writeUInt32LE(0x04034b50, 0);
    facts.copy(localHeader, 4);
    local.push(localHeader, nameBytes, Buffer.from(bytes));
    const centralHeader = Buffer.alloc(CENTRAL_HEADER_BYTES);
    centralHeader.writeUInt32LE(0x02014b50, 0);
    centralHeader.writeUInt16LE(VERSION, 4);
    facts.copy(centralHeader, 6);
    centralHeader.writeUInt32LE(offset, 42);
    central.push(centralHeader, nameBytes);
    offset += LOCAL_HEADER_BYTES + nameBytes.length + bytes.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Uint8Array.from(Buffer.concat([...local, directory, end]));
}

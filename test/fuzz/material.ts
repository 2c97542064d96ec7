/** What the fuzzer damages: every fixture and sample of every registered format, taken apart where it is a zip. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isOutputFormat } from '../../packages/formats/src/format.ts';
import { formatByFileName, inputFormats } from '../../packages/formats/src/registry.ts';
import { allFixtures } from '../support/fixtures.ts';
import { type Member, readZipMembers } from '../support/zip-members.ts';

export interface Material {
  readonly format: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Of a zip; null: the file is none. */
  readonly members: readonly Member[] | null;
}

const ZIP_SIGNATURE = 0x04034b50;
const SAMPLES = join(import.meta.dirname, '..', '..', 'samples');

/** Converts an intact input; null: it is refused. */
export type Convert = (
  input: Material,
  outputFormat: string,
) => Promise<{ name: string; bytes: Buffer } | null>;

/** Larger ones slow the campaign down without reaching more code. */
const MAX_DERIVED_BYTES = 100_000;

/** By format id; no format is without. Each file also comes as what it converts to, so that formats have all shapes of data. */
export async function readMaterial(convert: Convert): Promise<ReadonlyMap<string, readonly Material[]>> {
  const paths = [
    ...allFixtures().map(({ format, path }) => ({ format, path })),
    ...readdirSync(SAMPLES).flatMap((name) => {
      const format = formatByFileName(inputFormats, name);
      return format === null ? [] : [{ format: format.id, path: join(SAMPLES, name) }];
    }),
  ];
  const material = await Promise.all(
    paths.map(({ format, path }) => materialOf(format, basename(path), readFileSync(path))),
  );
  for (const original of [...material])
    for (const { id } of inputFormats.filter(isOutputFormat)) {
      const output = await convert(original, id);
      if (output !== null && output.bytes.length <= MAX_DERIVED_BYTES)
        material.push(await materialOf(id, output.name, output.bytes));
    }
  const byFormat = new Map(
    inputFormats.map(({ id }) => [id as string, material.filter(({ format }) => format === id)]),
  );
  for (const [id, found] of byFormat)
    if (found.length === 0) throw new Error(`there is no fixture or sample of ${id}`);
  return byFormat;
}

async function materialOf(format: string, name: string, bytes: Buffer): Promise<Material> {
  const isZip = bytes.length > 4 && bytes.readUInt32LE(0) === ZIP_SIGNATURE;
  // Not a Buffer, whose slice() would be the same memory.
  return { format, name, bytes: Uint8Array.from(bytes), members: isZip ? await readZipMembers(bytes) : null };
}

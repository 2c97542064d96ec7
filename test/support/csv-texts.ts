/** Reads a CSV given as text, for short tests. */
import assert from 'node:assert/strict';
import { GeomillError } from '../../packages/core/src/messages/errors.ts';
import { reader } from '../../packages/formats/src/csv/read.ts';
import { type ReadLayer, type ReadSettings, readBytesLayers } from './read-layers.ts';

export async function read(
  text: string | Uint8Array,
  options: ReadSettings['options'] = {},
  partitionBytes?: number,
): Promise<ReadLayer> {
  return (await readBytesLayers(reader, text, { options, partitionBytes })).layers[0];
}

export async function geometries(
  text: string | Uint8Array,
  options: ReadSettings['options'] = {},
): Promise<(string | null)[]> {
  return (await read(text, options)).rows.map(({ geometry }) => geometry);
}

/** Findings, with their counts if these are not 1. */
export async function codes(
  text: string | Uint8Array,
  options: ReadSettings['options'] = {},
): Promise<string[]> {
  const { findings } = await readBytesLayers(reader, text, { options });
  return findings.map(({ code, count }) => (count === 1 ? code : `${code} ${count}`)).sort();
}

/** Code and message of the error. */
export async function errorOf(
  text: string | Uint8Array,
  options: ReadSettings['options'] = {},
): Promise<string> {
  try {
    await read(text, options);
  } catch (error) {
    assert.ok(error instanceof GeomillError && error.fault === 'user', String((error as Error).stack));
    return `${error.code} ${error.message}`;
  }
  assert.fail('it was read');
}

/** Tells whether the files that a conversion reads are those for which it was planned, without reading all of them. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { pathsBeside } from '@geomill/formats/format-by-id.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { statOf } from '@geomill/library/output-path.ts';
import { cliErrors } from '../errors.ts';
import { readFailure } from '../files.ts';
import type { Fingerprint, PlanFile } from './plan-file.ts';

const END_BYTES = 1 << 20;

/** Of the files at the paths, those beside them that belong to them, and those in them, if they are directories. Throws FILE_NOT_FOUND. */
export function fingerprintsOf(paths: readonly string[]): Fingerprint[] {
  const files = new Set<string>();
  for (const path of paths)
    for (const file of [path, ...pathsBeside(path).filter((other) => statOf(other)?.isFile === true)])
      for (const one of filesIn(resolve(file))) files.add(one);
  return [...files].map(fingerprintOf);
}

/** Throws PLAN_OUTDATED. */
export function requireUnchanged({ inputs, grids }: PlanFile, gridDirectory: string | null): void {
  for (const planned of inputs) {
    const { path } = planned;
    if (statOf(path) === null) throw outdated(path, 'is missing or was removed');
    const { byteLength, modifiedMs, sha256 } = fingerprintOf(path);
    if (byteLength !== planned.byteLength)
      throw outdated(path, `has ${byteLength} bytes, not ${planned.byteLength}: it has changed`);
    if (modifiedMs !== planned.modifiedMs || sha256 !== planned.sha256) throw outdated(path, 'has changed');
  }
  if (fingerprintOfGrids(gridDirectory) !== grids)
    throw outdated(
      gridDirectory ?? 'PROJ_GRIDS',
      'has other PROJ grids than the machine of the plan had, or has changed',
    );
}

/** SHA-256 of the names and sizes of the files in a directory; null: there is no directory. */
export function fingerprintOfGrids(directory: string | null): string | null {
  if (directory === null) return null;
  const names = readdirSync(directory).sort();
  const lines = names.map((name) => `${name} ${statOf(join(directory, name))?.size ?? 0}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function outdated(path: string, change: string): Error {
  return failure(cliErrors.PLAN_OUTDATED, { path, change });
}

function filesIn(path: string): string[] {
  if (statOf(path)?.isDirectory !== true) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}

function fingerprintOf(path: string): Fingerprint {
  const facts = statOf(path);
  if (facts === null) throw failure(ioErrors.FILE_NOT_FOUND, { path, reason: 'there is no such file' });
  const { size, modifiedMs } = facts;
  const digest = createHash('sha256');
  try {
    const file = openSync(path, 'r');
    try {
      digest.update(bytesAt(file, 0, Math.min(size, END_BYTES)));
      const last = Math.max(size - END_BYTES, END_BYTES);
      if (last < size) digest.update(bytesAt(file, last, size - last));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw failure(ioErrors.FILE_NOT_FOUND, { path, reason: readFailure(error) }, undefined, error);
  }
  return { path, byteLength: size, modifiedMs: Math.trunc(modifiedMs), sha256: digest.digest('hex') };
}

function bytesAt(file: number, position: number, byteLength: number): Uint8Array {
  const bytes = new Uint8Array(byteLength);
  return bytes.subarray(0, readSync(file, bytes, 0, byteLength, position));
}

/** The version of geomill, as its package states it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIRECTORY } from './program-files.ts';

export function packageVersion(): string {
  const text = readFileSync(join(PACKAGE_DIRECTORY, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

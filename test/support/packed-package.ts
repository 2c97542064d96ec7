/** The package as `npm pack` makes it, for the tests that install it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { madeOnce } from './made-once.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PACK = 'pack.json';
const run = promisify(execFile);

/** What npm says of the package. */
interface Pack {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

export interface PackedPackage {
  readonly pack: Pack;
  readonly tarball: string;
  /** The built files of the package. */
  readonly dist: string;
}

/** The build takes most of a minute of CPU time, so it is made once for each state of the sources. */
export async function packedPackage(): Promise<PackedPackage> {
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT }); // biome-ignore format: one line
  const isPacked = (path: string): boolean =>
    !/^(?:test|bench)\/|\/test\/|^$/.test(path) && existsSync(join(ROOT, path));
  const paths = listed.stdout.split('\0').filter(isPacked).sort();
  const hash = createHash('sha256').update(process.version);
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)));
  const directory = await madeOnce('packed', hash.digest('hex').slice(0, 16), (made) => makePackage(made, paths)); // biome-ignore format: one line
  const pack = JSON.parse(readFileSync(join(directory, PACK), 'utf8')) as Pack;
  return { pack, tarball: join(directory, pack.filename), dist: join(directory, 'dist') };
}

/** Packs a copy of the checkout, because the build removes the dist that other tests use. */
async function makePackage(directory: string, paths: readonly string[]): Promise<void> {
  // Not below node_modules, where Node.js runs no TypeScript.
  const copy = mkdtempSync(join(tmpdir(), 'geomill-checkout-'));
  try {
    for (const path of paths) cpSync(join(ROOT, path), join(copy, path));
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], { cwd: copy });
    const [pack] = JSON.parse(stdout) as [Pack];
    writeFileSync(join(directory, PACK), JSON.stringify(pack));
    cpSync(join(copy, 'dist'), join(directory, 'dist'), { recursive: true });
  } finally {
    rmSync(copy, { recursive: true });
  }
}

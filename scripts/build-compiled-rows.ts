/**
 * Compiles wasm/*.c to packages/engines/sqlite/src/compiled-rows-code.ts, with clang and wasm-ld 14 (Debian packages clang and lld). They are only needed
 * after a change in the C files: the result is in the repository, and the same source gives the same bytes. `--check` compares.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['rows.h', 'read-rows.c', 'write-rows.c'].map((name) => join(ROOT, 'wasm', name));
const TARGET = join(ROOT, 'packages', 'engines', 'sqlite', 'src', 'compiled-rows-code.ts');
const FLAGS = [
  '--target=wasm32',
  '-std=c11',
  '-O2',
  '-mbulk-memory',
  '-mnontrapping-fptoint',
  '-ffreestanding',
  '-fno-strict-aliasing',
  '-nostdlib',
  '-Wall',
  '-Werror',
  '-Wl,--no-entry',
  '-Wl,--import-memory',
  '-Wl,-z,stack-size=1024',
  '-Wl,--strip-all',
];

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Of all source files. */
export function sourceSha256(): string {
  return sha256(Buffer.concat(SOURCES.map((path) => readFileSync(path))));
}

function compiled(): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'compiled-rows-'));
  try {
    const target = join(directory, 'rows.wasm');
    execFileSync('clang-14', [...FLAGS, '-o', target, ...SOURCES.slice(1)], { stdio: 'inherit' });
    return readFileSync(target);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function moduleText(wasm: Buffer): string {
  const code = deflateRawSync(wasm, { level: 9 }).toString('base64');
  return `/** Made by scripts/build-compiled-rows.ts from wasm/rows.h, read-rows.c and write-rows.c. */
export const SOURCE_SHA256 = '${sourceSha256()}';
export const CODE_SHA256 = '${sha256(wasm)}';
/** WebAssembly, compressed (deflate) and in base64. */
export const CODE =
  '${code}';
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wasm = compiled();
  if (!process.argv.includes('--check')) writeFileSync(TARGET, moduleText(wasm));
  else if (!readFileSync(TARGET, 'utf8').includes(`CODE_SHA256 = '${sha256(wasm)}'`))
    throw new Error('compiled-rows-code.ts is not made from wasm/: run scripts/build-compiled-rows.ts');
}

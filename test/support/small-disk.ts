/** A file system of its own with little room, to be filled up. Needs Linux and the right to mount. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Takes all the space that is left; whatever is freed afterwards is free. */
  fill(): void;
  /** Gives it back. */
  free(): void;
}

/** Null: nothing can be mounted here. */
export function mountSmallDisk(mebibytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'geomill-disk-'));
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path]);
  if (mount.status !== 0) {
    rmSync(path, { recursive: true });
    return null;
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill() {
      const descriptor = openSync(filler, 'a');
      try {
        // Down to the last page.
        for (const size of [1 << 20, 4096]) fillWith(descriptor, new Uint8Array(size));
      } finally {
        closeSync(descriptor);
      }
    },
    free: () => rmSync(filler, { force: true }),
    [Symbol.dispose]() {
      spawnSync('umount', ['--lazy', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function fillWith(descriptor: number, block: Uint8Array): void {
  for (;;)
    try {
      writeSync(descriptor, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
      throw error;
    }
}

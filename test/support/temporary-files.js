// Loaded with --import before every test file: keeps temporary files in memory where Linux offers enough of it. On a disk, to
// remove the files of a test often takes longer than the test.
import { existsSync, readFileSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 2 ** 30;
const MOUNTS = '/proc/mounts';

if (process.env.TMPDIR === undefined && isUsable()) process.env.TMPDIR = MEMORY;

function isUsable() {
  if (!existsSync(MOUNTS)) return false;
  const mounts = readFileSync(MOUNTS, 'utf8').split('\n');
  const [, , type, options] = mounts.map((line) => line.split(' ')).find(([, path]) => path === MEMORY) ?? [];
  // Some tests execute files.
  if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
}

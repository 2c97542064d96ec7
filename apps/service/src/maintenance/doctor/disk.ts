/** Checks free space and free inodes of the disks of a data directory. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DoctorFinding, finding, megabytes, type Subject } from './finding.ts';

const MiB = 1024 ** 2;
const LITTLE = { bytes: 1024 * MiB, share: 0.05, inodes: 10_000 };
const NEXT_TO_NONE = { bytes: 100 * MiB, inodes: 500 };
const FREE_SPACE =
  'delete jobs whose outputs are no longer needed, set OUTPUT_RETENTION lower, or give the data directory a larger disk';

/** Each directory that is a separate file system is checked. */
export function checkDisk({ path }: Subject): DoctorFinding[] {
  const devices = new Set<number>();
  return ['.', 'inputs', 'outputs', 'slots'].flatMap((name) => {
    const directory = join(path, name);
    if (!existsSync(directory)) return [];
    const { dev } = statSync(directory);
    if (devices.has(dev)) return [];
    devices.add(dev);
    return checkFileSystem(directory);
  });
}

export interface FileSystemFacts {
  readonly bsize: number;
  readonly blocks: number;
  readonly bavail: number;
  readonly files: number;
  readonly ffree: number;
}

/** `facts`: for tests. */
export function checkFileSystem(path: string, facts: FileSystemFacts = statfsSync(path)): DoctorFinding[] {
  const { bsize, blocks, bavail, files, ffree } = facts;
  const free = bavail * bsize;
  const share = blocks === 0 ? 1 : bavail / blocks;
  const space = `${megabytes(free)} of ${megabytes(blocks * bsize)} free at ${path}`;
  const found: DoctorFinding[] = [];
  if (free < NEXT_TO_NONE.bytes) found.push(finding('problem', `the disk is full: ${space}`, FREE_SPACE));
  else if (free < LITTLE.bytes || share < LITTLE.share)
    found.push(finding('warning', `little space is left: ${space}`, FREE_SPACE));
  else found.push(finding('ok', space));
  // Some file systems (btrfs) have no fixed number of inodes, and report 0.
  if (files > 0 && ffree < LITTLE.inodes) {
    const names = `${ffree} of ${files} inodes free at ${path}`;
    const isProblem = ffree < NEXT_TO_NONE.inodes;
    found.push(
      finding(
        isProblem ? 'problem' : 'warning',
        `few more files can be created: ${names}`,
        'remove small files from that disk',
      ),
    );
  }
  return found;
}

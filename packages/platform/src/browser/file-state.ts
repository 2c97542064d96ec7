/** Whether a file was changed. A worker has its files for itself, without owners and permissions. */

import type { FileState } from '../shared-types.ts';
import { fileFacts } from './files.ts';
import { workerFiles } from './worker-files.ts';

export type { FileState } from '../shared-types.ts';

export function stateOfFile(path: string, _opened: DisposableStack): FileState | null {
  const facts = fileFacts(path);
  return facts === null ? null : { version: String(facts.size), mode: 0o600, uid: 0, gid: 0, links: 1 };
}

export function takeOver(_path: string, _state: FileState): void {}

export function renameFile(path: string, target: string): void {
  workerFiles().rename(path, target);
}

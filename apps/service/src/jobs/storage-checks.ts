/** What readiness checks of the storage of jobs. */
import type { JobServiceOptions } from './job-service-options.ts';
import type { StorageCheck } from './readiness.ts';

/** Of a database and a store over a network, which can fail while nobody uses them; others are believed until an operation fails. */
const DATABASE_BELIEVED_MS = 2000;
const STORE_BELIEVED_MS = 60_000;
const DISK_BELIEVED_MS = 10_000;

export function storageChecks({ store, queue, checkDisk, runner }: JobServiceOptions): StorageCheck[] {
  const { shared } = queue;
  return [
    {
      name: 'database',
      isRemote: shared !== null,
      write: () => queue.checkWritable(),
      ...(shared === null
        ? { believedMs: Number.POSITIVE_INFINITY }
        : { believedMs: DATABASE_BELIEVED_MS, look: () => shared.checkTables() }),
    },
    {
      name: 'store',
      isRemote: store.isShared,
      write: () => store.checkWritable(),
      believedMs: store.isShared ? STORE_BELIEVED_MS : Number.POSITIVE_INFINITY,
    },
    ...(checkDisk === undefined || runner.count === 0
      ? []
      : [{ name: 'disk', isRemote: false, write: checkDisk, believedMs: DISK_BELIEVED_MS } as const]),
  ];
}

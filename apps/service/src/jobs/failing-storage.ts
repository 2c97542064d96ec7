/** Whose fault a failure of storage is: that of one large job, or of the disk or store, on which all jobs wait then. */
import type { JobServiceOptions } from './job-service-options.ts';
import type { Recovery } from './recovery.ts';
import type { RunnerProcess } from './runner-process.ts';

/**
 * Tests storage after an operation of an attempt has failed. True: it still fails, and `recovery` stops this process from taking
 * jobs until it works again. False: what the attempt had written was too much. The runner is ended, which frees its files.
 */
export async function storageStillFails(
  runner: RunnerProcess,
  { store, checkDisk }: Pick<JobServiceOptions, 'store' | 'checkDisk'>,
  recovery: Recovery,
): Promise<boolean> {
  // Killing the process also frees its open files.
  runner.kill('retired');
  await runner.died;
  try {
    await Promise.all([store.checkWritable(), checkDisk?.()]);
    return false;
  } catch (error) {
    recovery.report(error);
    return true;
  }
}

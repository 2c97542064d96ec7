/** A runner that does its tasks, but never comes back from a warm-up. */
import { writeFileSync } from 'node:fs';
import { serveTasks } from '../../apps/service/src/jobs/runner-loop.ts';
import { fakeReport } from './fake-conversion.ts';

serveTasks(
  async (request, paths) => {
    writeFileSync(paths.outputPath, 'done');
    return fakeReport(request, 4);
  },
  () => new Promise<never>(() => {}),
);

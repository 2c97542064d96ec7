/** The entry of a fetching process: one file, then its end. Started by fetch-process.ts under Node's permission model. */
import { asGeomillError } from '../errors.ts';
import { REAL_OUTSIDE } from './connect.ts';
import { fetchFile } from './fetch-file.ts';
import type { FetchTask, FromFetcher } from './fetch-messages.ts';

async function run(task: FetchTask): Promise<FromFetcher> {
  try {
    return { type: 'fetched', file: await fetchFile(task, REAL_OUTSIDE) };
  } catch (thrown) {
    const error = asGeomillError(thrown);
    const cause = error.cause instanceof Error ? error.cause : error;
    return {
      type: 'failed',
      error: error.toPlain(),
      log: error.fault === 'ours' ? (cause.stack ?? '') : null,
    };
  }
}

// When the service is gone the channel closes, and nobody is left to fetch for.
process.on('disconnect', () => process.exit(0));
process.once('message', (task: FetchTask) => {
  void run(task).then((result) => process.send?.(result, undefined, undefined, () => process.exit(0)));
});

/** Entry of a fetching process, which fetches one file and exits. Started by fetch-process.ts under Node's permission model. */
import { getCACertificates } from 'node:tls';
import { asGeomillError } from '@geomill/core/messages/errors.ts';
import { MAX_LOGGED, shortText } from '@geomill/core/messages/short-text.ts';
import { openChildEnd } from '../processes/process-channel.ts';
import { type Outside, REAL_OUTSIDE } from './connect.ts';
import { fetchFile } from './fetch-file.ts';
import type { FromFetcher, ToFetcher } from './fetch-messages.ts';

async function run({ extraAuthorities, ...task }: ToFetcher): Promise<FromFetcher> {
  try {
    const fetch =
      task.service === undefined ? fetchFile : (await import('./arcgis/fetch-layer.ts')).fetchLayer;
    return { type: 'fetched', file: await fetch(task, outsideWith(extraAuthorities)) };
  } catch (thrown) {
    const error = asGeomillError(thrown);
    const cause = error.cause instanceof Error ? error.cause : error;
    return {
      type: 'failed',
      error: error.toPlain(),
      log: error.fault === 'ours' ? shortText(cause.stack ?? '', MAX_LOGGED) : null,
    };
  }
}

function outsideWith(authorities: readonly string[]): Outside {
  if (authorities.length === 0) return REAL_OUTSIDE;
  return { ...REAL_OUTSIDE, ca: [...getCACertificates(), ...authorities] };
}

const send = openChildEnd<ToFetcher, FromFetcher>((task) => {
  void run(task).then((result) => {
    send(result);
    process.exit(0);
  });
});

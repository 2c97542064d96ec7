/** Fetches an input from a URL: again for each attempt, into the slot of its runner. */

import type { PlainError } from '@geomill/core/messages/errors.ts';
import { type Finding, Findings } from '@geomill/core/messages/findings.ts';
import { plainFileName } from '@geomill/library/output-name.ts';
import { urlFindings } from '@geomill/library/url-messages.ts';
import type { FetchReports } from '@geomill/pipeline/completed-report.ts';
import type { FetchReport } from '@geomill/pipeline/report.ts';
import type { FetchedFile, FetchLimits } from '../remote-input/fetch-messages.ts';
import { type FetcherOptions, runFetcher } from '../remote-input/fetch-process.ts';
import type { UrlPolicy } from '../remote-input/policy.ts';
import { jobFindings } from './errors.ts';
import type { JobInput } from './job.ts';
import type { RunnerProcess } from './runner-process.ts';

export interface FetchSettings extends FetcherOptions {
  readonly policy: UrlPolicy;
  readonly limits: FetchLimits;
  readonly userAgent: string;
}

export interface ProvidedInputs extends FetchReports {
  readonly kind: 'provided';
  /** All inputs of the job, with the names that are known after fetching. */
  readonly inputs: readonly JobInput[];
  readonly findings: readonly Finding[];
}

export type FetchedInput =
  | {
      readonly kind: 'provided';
      /** With the name that is known after fetching. */
      readonly input: JobInput;
      readonly fetched: FetchReport;
      readonly findings: readonly Finding[];
    }
  | NotFetched;

export type NotFetched =
  | { readonly kind: 'failed'; readonly error: PlainError; readonly log: string | null }
  | { readonly kind: 'died'; readonly detail: string; readonly log: string };

/**
 * Fetches the file of `input` to `path`. When the runner dies (cancelled job, time limit, stop of the
 * service), the fetching process is killed and the outcome is 'died'.
 *
 * Alternative rejected: keeping the file for the next attempt. It would have to be durable like an upload, for a case
 * that is rare.
 */
export async function fetchInput(
  input: JobInput & { readonly url: string },
  path: string,
  runner: Pick<RunnerProcess, 'onDeath' | 'death' | 'slot'>,
  { policy, limits, userAgent, ...options }: FetchSettings,
): Promise<FetchedInput> {
  const controller = new AbortController();
  // Removed afterwards: a runner serves thousands of jobs.
  const forget = runner.onDeath(() => controller.abort());
  const urlPath = input.stepInput ?? 'input.url';
  const { url, service } = input;
  const task = {
    ...{ url, urlPath, path, policy, limits, userAgent },
    ...(service === undefined ? {} : { service }),
  };
  const outcome = await runFetcher(task, controller.signal, options).finally(forget);
  if (runner.death === null) runner.slot.reclaimInputs();
  if (outcome.kind !== 'fetched') return outcome;
  runner.slot.giveInput(path);
  const { host, byteLength, name } = outcome.file;
  const findings = findingsOfFetch(outcome.file);
  const stated = plainFileName(name ?? '', '');
  const named = stated === '' ? input : { ...input, name: stated, isUnnamed: undefined };
  return {
    kind: 'provided',
    input: { ...named, byteLength },
    fetched: { host, byteLength },
    findings: findings.list(),
  };
}

/** What the report says about a file that was fetched. */
export function findingsOfFetch({ host, byteLength, end, layer }: FetchedFile): Findings {
  const findings = new Findings();
  if (end === 'marked') findings.note(urlFindings.INPUT_LENGTH_UNKNOWN, { host, bytes: byteLength });
  if (end === 'unknown') findings.note(urlFindings.INPUT_END_UNKNOWN, { host, bytes: byteLength });
  if (layer === undefined) return findings;
  const { name, features, requests, ignoredParameters } = layer;
  findings.note(jobFindings.LAYER_FETCHED, { host, layer: name, features, requests });
  if (ignoredParameters !== '')
    findings.note(jobFindings.LAYER_PARAMETERS_IGNORED, { host, parameters: ignoredParameters });
  return findings;
}

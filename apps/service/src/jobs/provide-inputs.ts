/** Puts the inputs of a job where its runner reads them. */
import type { Finding } from '@geomill/core/messages/findings.ts';
import type { FetchReport } from '@geomill/pipeline/report.ts';
import { inputKey } from '../storage/store.ts';
import { NO_TRACES, type Span, traced } from '../tracing/tracer.ts';
import { fetchInput, type NotFetched, type ProvidedInputs } from './fetch-input.ts';
import type { Job } from './job.ts';
import type { JobServiceOptions } from './job-service-options.ts';
import type { RunnerProcess } from './runner-process.ts';

/** Puts the inputs into the runner's slot: first those that are fetched, as their processes can write to the directory. */
export async function provideInputs(
  { job, span: { context: parent } }: { readonly job: Job; readonly span: Span },
  paths: readonly string[],
  runner: RunnerProcess,
  { store, fetch, tracer = NO_TRACES }: Pick<JobServiceOptions, 'store' | 'fetch' | 'tracer'>,
): Promise<ProvidedInputs | NotFetched> {
  const { id, inputs } = job;
  const provided = [...inputs];
  const stored = inputs.flatMap(({ url, fileIndex, byteLength }, i) =>
    url === undefined ? [{ fileIndex, path: paths[i], byteLength: byteLength ?? 0 }] : [],
  );
  const storedBytes = stored.reduce((sum, file) => sum + file.byteLength, 0);
  const fetched: FetchReport[] = [];
  const findings: Finding[] = [];
  let bytesLeft = fetch.limits.maxBytes - storedBytes;
  for (const [i, input] of inputs.entries()) {
    const { url } = input;
    if (url === undefined) continue;
    const limits = { ...fetch.limits, maxBytes: Math.max(0, bytesLeft) };
    const attributes = { 'http.request.method': 'GET', 'server.address': new URL(url).hostname };
    const outcome = await traced(tracer, 'fetch input', 'client', { parent, attributes }, async (span) => {
      const one = await fetchInput({ ...input, url }, paths[i], runner, { ...fetch, limits });
      if (one.kind === 'provided') span.set({ 'geomill.bytes': one.fetched.byteLength });
      else span.fail(one.kind === 'failed' ? one.error.code : 'died');
      return one;
    });
    if (outcome.kind !== 'provided') return outcome;
    provided[i] = outcome.input;
    fetched.push(outcome.fetched);
    findings.push(...outcome.findings);
    bytesLeft -= outcome.fetched.byteLength;
  }
  if (stored.length > 0) {
    const attributes = { 'geomill.files': stored.length, 'geomill.bytes': storedBytes };
    await traced(tracer, 'provide input', 'internal', { parent, attributes }, async () => {
      for (const { fileIndex, path } of stored) {
        await store.provide(inputKey(id, fileIndex), path);
        runner.slot.giveInput(path);
      }
    });
  }
  const isRemote = inputs[0].url !== undefined;
  return {
    kind: 'provided',
    inputs: provided,
    fetched: isRemote ? fetched[0] : null,
    fetchedSources: isRemote ? fetched.slice(1) : fetched,
    findings,
  };
}

/** A job that was started here: its progress, why it failed, or its result. */
import type { Report } from '@geomill/client/client.ts';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { engine } from '../engines/current.ts';
import type { EndedJob, EngineJob } from '../engines/engine.ts';
import type { RunFailure } from '../model/fixes.ts';
import { cancel, isActive, type Run, startAgain } from '../model/run.ts';
import { isReadable, outputFile, outputInput, saveOutput } from '../model/run-output.ts';
import { selection } from '../model/selection.ts';
import { addSource, sources } from '../model/sources.ts';
import { withStepName } from '../model/step-problems.ts';
import { isServiceAway, messageOf } from '../service.ts';
import { Busy, countText, Problem, sizeText } from './controls.tsx';
import { DownloadLink } from './download-link.tsx';
import { EmptyResult } from './empty-result.tsx';
import { RunFindings } from './findings.tsx';
import { FixButtons } from './fix-buttons.tsx';

export function RunCard({ run }: { readonly run: Run }): JSX.Element {
  return (
    <li class="card run">
      <div class="card-head">
        <strong class="name" dir="auto">
          {run.title}
        </strong>
        <span class="soft">
          <span role="status">{stateText(run)}</span> <Elapsed run={run} />
        </span>
        {isActive(run) && (
          <button type="button" disabled={run.isCancelling} onClick={() => void cancel(run)}>
            Cancel
          </button>
        )}
      </div>
      {isActive(run) && <Progress run={run} />}
      {isActive(run) && isServiceAway.value && engine.value.id === 'service' && (
        <p class="away" role="status">
          The service does not answer. This page keeps trying; a job that has started goes on.
        </p>
      )}
      {run.failure !== null && <Failure run={run} failure={run.failure} />}
      {run.job?.report && <Result run={run} job={run.job} report={run.job.report} />}
      {run.preview?.state === 'loading' && <Busy label="Drawing the result…" />}
      {run.preview?.state === 'failed' && <p class="soft">Not drawn: {run.preview.message}</p>}
    </li>
  );
}

const STAGES = {
  waiting: 'Waiting for its turn',
  opening: 'Opening',
  scanning: 'Reading the structure',
  collecting: 'Reading',
  converting: 'Converting',
  finishing: 'Writing the end',
  ended: 'Ended',
} as const;

function stateText({ state, progress, isCancelling }: Run): string {
  switch (state) {
    case 'sending':
      return 'Sending the file';
    case 'running':
      if (isCancelling) return 'Cancelling';
      return progress === null ? STAGES.waiting : STAGES[progress.stage];
    case 'done':
      return 'Done';
    case 'failed':
      return 'Failed';
    case 'cancelled':
      return 'Cancelled';
  }
}

/** Time since the start, every second; a tab that is not in front does not count. */
function Elapsed({ run }: { readonly run: Run }): JSX.Element {
  const [now, setNow] = useState(Date.now());
  const isRunning = run.endedAt === null;
  useEffect(() => {
    if (!isRunning) return;
    const tick = () => {
      if (!document.hidden) setNow(Date.now());
    };
    const timer = setInterval(tick, 1000);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [isRunning]);
  const ms = Math.max(0, (run.endedAt ?? now) - run.startedAt);
  return <span class="elapsed">{isRunning ? elapsedText(ms) : `after ${elapsedText(ms)}`}</span>;
}

/** "0.8 s", "12 s", "3 min 5 s", "2 h 10 min". */
function elapsedText(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function Progress({ run }: { readonly run: Run }): JSX.Element {
  const fraction = run.state === 'running' ? run.progress?.fraction : undefined;
  return <progress aria-label={`Progress of ${run.title}`} max={1} value={fraction} />;
}

function Failure({ run, failure }: { readonly run: Run; readonly failure: RunFailure }): JSX.Element {
  const message = withStepName(run.document, failure.message);
  if (run.state !== 'failed') return <Problem message={message} />;
  const show = placeOnMap(run, failure);
  return (
    <Problem message={message}>
      <FixButtons failure={failure} paths={run.paths} withCrs onFixed={() => startAgain(run)}>
        {show !== null && (
          <button type="button" onClick={show}>
            Show on the map
          </button>
        )}
        {failure.isPassing && (
          <button type="button" onClick={() => startAgain(run)}>
            Try again
          </button>
        )}
      </FixButtons>
    </Problem>
  );
}

/** Selects the feature that the error is about, if the map has all features of its only layer; null: it cannot be told which it is. */
function placeOnMap({ paths }: Run, { place }: RunFailure): (() => void) | null {
  const source = paths.length === 1 ? sources.value.get(paths[0]) : undefined;
  const { preview, inspection } = source ?? {};
  if (place?.record === undefined || preview?.state !== 'ready' || inspection?.state !== 'ready') return null;
  const { features, drawn, total } = preview.value;
  const index = place.record - 1;
  if (drawn !== total || inspection.value.layers.length !== 1 || features.features[index]?.geometry == null)
    return null;
  return () => {
    selection.value = { layerId: `source ${paths[0]}`, index, from: 'table' };
  };
}

function Result(props: { readonly run: Run; readonly job: EndedJob; readonly report: Report }): JSX.Element {
  const { run, job, report } = props;
  const { features, output, reprojections } = report;
  return (
    <>
      <EmptyResult run={run} report={report} />
      <p>{report.summary}</p>
      {run.state === 'done' && run.handle !== null && (
        <>
          <DownloadLink url={run.handle.links.output} name={job.output.name} isPrimary>
            Download <bdi>{job.output.name ?? 'the output'}</bdi> ({sizeText(output.byte_length)})
          </DownloadLink>
          <ResultActions handle={run.handle} job={job} />
        </>
      )}
      <dl class="figures">
        <Figure name="read" value={features.read} />
        <Figure name="written" value={features.written} />
        <Figure name="dropped" value={features.dropped} />
        {features.merged > 0 && <Figure name="merged" value={features.merged} />}
        {features.repaired > 0 && <Figure name="repaired" value={features.repaired} />}
      </dl>
      {report.steps.length > 0 && (
        <details>
          <summary>Steps</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">Step</th>
                <th scope="col">In</th>
                <th scope="col">Out</th>
              </tr>
            </thead>
            <tbody>
              {report.steps.map((step, i) => (
                <tr key={i}>
                  <th scope="row">{step.type}</th>
                  <td>{countText(step.features_in)}</td>
                  <td>{countText(step.features_out)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
      {reprojections.length > 0 && (
        <details>
          <summary>Coordinate operations</summary>
          <ul class="notes">
            {reprojections.map(({ layer, from, to, operation, accuracy_meters, ballpark }) => (
              <li key={layer + from}>
                <span dir="auto">{layer}</span>: {from} to {to}, {operation}
                {ballpark
                  ? ' (no datum shift: positions can be off by 100 m)'
                  : accuracy_meters !== null && ` (accuracy ${accuracy_meters} m)`}
              </li>
            ))}
          </ul>
        </details>
      )}
      <RunFindings run={run} />
    </>
  );
}

function ResultActions(props: { readonly handle: EngineJob; readonly job: EndedJob }): JSX.Element {
  const { handle, job } = props;
  const [message, setMessage] = useState<string | null>(null);
  const [isCopied, setCopied] = useState(false);
  const act = async (action: () => Promise<void>) => {
    setMessage(null);
    try {
      await action();
    } catch (error) {
      setMessage(messageOf(error));
    }
  };
  const addAsSource = async () => {
    const { crs, options } = outputInput(job);
    const file = await outputFile(handle, job);
    addSource({ name: file.name, content: file }, { crs, options });
  };
  const saveAs = () => saveOutput(handle, job);
  const copyLink = async () => {
    await navigator.clipboard.writeText(handle.links.output);
    setCopied(true);
  };
  return (
    <>
      <div class="actions">
        {isReadable(job) && (
          <button type="button" onClick={() => void act(addAsSource)}>
            Use as source
          </button>
        )}
        {!handle.links.areShareable && 'showSaveFilePicker' in window && (
          <button type="button" onClick={() => void act(saveAs)}>
            Save as…
          </button>
        )}
        {handle.links.areShareable && (
          <button type="button" onClick={() => void act(copyLink)}>
            Copy link
          </button>
        )}
        <span class="soft" role="status">
          {isCopied && `Copied.${expiryText(job.expires_at)}`}
        </span>
      </div>
      {message !== null && <Problem message={message} />}
    </>
  );
}

function expiryText(expiresAt: string | null): string {
  return expiresAt === null ? '' : ` It works until ${new Date(expiresAt).toLocaleString('en')}.`;
}

function Figure({ name, value }: { readonly name: string; readonly value: number }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{countText(value)}</dd>
    </div>
  );
}

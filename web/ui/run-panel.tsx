/** Jobs while they run, and what became of the data. */
import { useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Report } from '../../src/client/client.ts';
import { cancel, isActive, outputFile, outputInput, type Run, runs } from '../model/run.ts';
import { addSource } from '../model/sources.ts';
import { messageOf } from '../service.ts';
import { Busy, countText, Problem, Section, sizeText } from './controls.tsx';
import { DownloadLink } from './download-link.tsx';
import { Findings } from './findings.tsx';

export function RunPanel(): JSX.Element {
  useSignalEffect(() => {
    document.title = pageTitle(runs.value);
  });
  return (
    <Section number={4} title="Result">
      {runs.value.length === 0 && (
        <p class="soft">The output appears here, with a report of what was changed or lost.</p>
      )}
      <ul class="cards">
        {runs.value.map((run) => (
          <RunCard key={run.key} run={run} />
        ))}
      </ul>
    </Section>
  );
}

const TITLE = document.title;

/** With the progress of the jobs, to be read in a tab that is not in front. */
function pageTitle(all: readonly Run[]): string {
  const active = all.filter(isActive);
  if (active.length === 0) return TITLE;
  const sum = active.reduce((total, { progress }) => total + (progress?.fraction ?? 0), 0);
  return `${Math.floor((100 * sum) / active.length)} % - geomill`;
}

function RunCard({ run }: { readonly run: Run }): JSX.Element {
  return (
    <li class="card">
      <div class="card-head">
        <strong class="name" dir="auto">
          {run.title}
        </strong>
        <span class="soft" role="status">
          {stateText(run)}
        </span>
        {isActive(run) && (
          <button type="button" onClick={() => cancel(run)}>
            Cancel
          </button>
        )}
      </div>
      {isActive(run) && <Progress run={run} />}
      {run.state === 'failed' && <Problem message={run.message ?? 'The job failed.'} />}
      {run.job?.report && <Result run={run} report={run.job.report} />}
      {run.preview?.state === 'loading' && <Busy label="Drawing the result…" />}
      {run.preview?.state === 'failed' && <p class="soft">Not drawn: {run.preview.message}</p>}
      {run.state === 'done' && <UseAsSource run={run} />}
    </li>
  );
}

function UseAsSource({ run: { handle, job } }: { readonly run: Run }): JSX.Element | null {
  const [message, setMessage] = useState<string | null>(null);
  if (handle === null || job === null) return null;
  const add = async () => {
    try {
      const { crs, options } = outputInput(job);
      const file = await outputFile(handle, job);
      addSource({ name: file.name, content: file }, { crs, options });
      setMessage(null);
    } catch (error) {
      setMessage(messageOf(error));
    }
  };
  return (
    <>
      <div class="actions">
        <button type="button" onClick={() => void add()}>
          Use as source
        </button>
      </div>
      {message !== null && <Problem message={message} />}
    </>
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

function stateText({ state, progress }: Run): string {
  switch (state) {
    case 'sending':
      return 'Sending the file';
    case 'running':
      return progress === null ? STAGES.waiting : STAGES[progress.stage];
    case 'done':
      return 'Done';
    case 'failed':
      return 'Failed';
    case 'cancelled':
      return 'Cancelled';
  }
}

function Progress({ run }: { readonly run: Run }): JSX.Element {
  const fraction = run.state === 'running' ? run.progress?.fraction : undefined;
  return <progress aria-label={`Progress of ${run.title}`} max={1} value={fraction} />;
}

function Result({ run, report }: { readonly run: Run; readonly report: Report }): JSX.Element {
  const { features, output, reprojections, warnings } = report;
  const id = run.job?.job_id ?? '';
  return (
    <>
      <p>{report.summary}</p>
      {run.state === 'done' && (
        <DownloadLink jobId={id} isPrimary>
          Download {run.job?.output.name ?? 'the output'} ({sizeText(output.byte_length)})
        </DownloadLink>
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
      <Findings findings={warnings} nothing="Nothing was lost or changed." />
    </>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: number }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{countText(value)}</dd>
    </div>
  );
}

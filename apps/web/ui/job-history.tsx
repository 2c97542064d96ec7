/** In a dialog: the jobs of the user at the service. */
import type { Job, JobShort } from '@geomill/client/client.ts';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { listedJobs, MAX_LISTED, reopen } from '../model/job-history.ts';
import { client, type Loading, messageOf } from '../service.ts';
import { outputUrl } from '../session.ts';
import { Busy, Problem, SelectField, sizeText } from './controls.tsx';
import { DownloadLink } from './download-link.tsx';
import { closeDialog, DialogHead } from './modal.tsx';

const STATES = [
  ['', 'All'],
  ['QUEUED', 'Waiting'],
  ['RUNNING', 'Running'],
  ['SUCCESS', 'Done'],
  ['FAILED', 'Failed'],
] as const;

export function JobHistory(): JSX.Element {
  return (
    <>
      <DialogHead title="Earlier jobs" />
      <Jobs onOpened={closeDialog} />
    </>
  );
}

function Jobs({ onOpened }: { readonly onOpened: () => void }): JSX.Element {
  const [status, setStatus] = useState<string>('');
  const [list, setList] = useState<Loading<readonly JobShort[]>>({ state: 'loading' });
  const [message, setMessage] = useState<string | null>(null);
  const [version, setVersion] = useState(0);
  const reload = () => setVersion((now) => now + 1);
  useEffect(() => {
    const abort = new AbortController();
    const wanted = status === '' ? null : (status as Job['status']);
    listedJobs(wanted, abort.signal).then(
      (value) => setList({ state: 'ready', value }),
      (error) => {
        if (!abort.signal.aborted) setList({ state: 'failed', message: messageOf(error) });
      },
    );
    return () => abort.abort();
  }, [status, version]);
  const act = (action: Promise<void>, then: () => void) => {
    setMessage(null);
    action.then(then, (error) => setMessage(messageOf(error)));
  };
  return (
    <>
      <SelectField label="State" value={status} choices={STATES} onChange={setStatus} />
      {message !== null && <Problem message={message} />}
      {list.state === 'loading' && <Busy label="Asking the service…" />}
      {list.state === 'failed' && (
        <Problem message={list.message}>
          <button
            type="button"
            onClick={() => {
              setList({ state: 'loading' });
              reload();
            }}
          >
            Try again
          </button>
        </Problem>
      )}
      {list.state === 'ready' && (
        <>
          <p class="soft" role="status">
            {list.value.length === 0 && 'No jobs.'}
            {list.value.length === MAX_LISTED && `The newest ${MAX_LISTED} jobs.`}
          </p>
          <ul class="cards" aria-label="Jobs">
            {list.value.map((job) => (
              <JobCard
                key={job.job_id}
                job={job}
                onEnd={reload}
                onOpen={() => act(reopen(job.job_id), onOpened)}
                onDelete={() => act(client.job(job.job_id).delete(), reload)}
              />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function JobCard(props: {
  readonly job: JobShort;
  readonly onEnd: () => void;
  readonly onOpen: () => void;
  readonly onDelete: () => void;
}): JSX.Element {
  const { job } = props;
  const { job_id: id, output, input } = job;
  const [fraction, setFraction] = useState<number | undefined>(undefined);
  const isActive = job.status === 'QUEUED' || job.status === 'RUNNING';
  useEffect(() => {
    if (!isActive) return;
    const abort = new AbortController();
    const onProgress = (progress: { readonly fraction: number }) => setFraction(progress.fraction);
    const end = () => {
      if (!abort.signal.aborted) props.onEnd();
    };
    // A job that fails has ended too: the list says why.
    client.job(id).wait({ signal: abort.signal, onProgress }).then(end, end);
    return () => abort.abort();
  }, [id, isActive]);
  const title = input.files[0]?.name ?? id;
  return (
    <li class="card">
      <div class="card-head">
        <strong class="name" dir="auto">
          {title}
          {input.file_count > 1 && ` and ${input.file_count - 1} more`}
        </strong>
        <span class="soft">
          {STATES.find(([state]) => state === job.status)?.[1]}, {job.operation}
          {output.format !== null && ` to ${output.format}`}, {new Date(job.created_at).toLocaleString('en')}
        </span>
      </div>
      {isActive && <progress aria-label={`Progress of ${title}`} max={1} value={fraction} />}
      {job.error !== null && <p>{job.error}</p>}
      <div class="actions" role="group" aria-label={title}>
        <button type="button" onClick={props.onOpen}>
          Open again
        </button>
        {output.url !== undefined && (
          <DownloadLink url={outputUrl(id)}>
            Download {output.bytes !== undefined && `(${sizeText(output.bytes)})`}
          </DownloadLink>
        )}
        <button type="button" onClick={props.onDelete}>
          {isActive ? 'Cancel and delete' : 'Delete'}
        </button>
      </div>
    </li>
  );
}

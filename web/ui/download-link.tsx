/** A link that downloads the output of a job, also where credentials are required. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../service.ts';
import { downloadWithSession, needsSession, outputUrl } from '../session.ts';
import { Problem } from './controls.tsx';

export function DownloadLink(props: {
  readonly jobId: string;
  readonly isPrimary?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [failure, setFailure] = useState<string | null>(null);
  const url = outputUrl(props.jobId);
  return (
    <>
      <a
        class={props.isPrimary === true ? 'button primary' : 'button'}
        href={url}
        download
        onClick={(event) => {
          if (!needsSession) return;
          event.preventDefault();
          setFailure(null);
          downloadWithSession(url).catch((error) => setFailure(messageOf(error)));
        }}
      >
        {props.children}
      </a>
      {failure !== null && <Problem message={failure} />}
    </>
  );
}

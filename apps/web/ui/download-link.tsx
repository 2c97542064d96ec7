/** A link that downloads a file of a job, also where credentials are required. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../service.ts';
import { downloadWithSession, needsSession } from '../session.ts';
import { Problem } from './controls.tsx';

export function DownloadLink(props: {
  readonly url: string;
  /** Of the file. Default: as the service states. */
  readonly name?: string | null;
  readonly isPrimary?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [failure, setFailure] = useState<string | null>(null);
  const { url } = props;
  return (
    <>
      <a
        class={props.isPrimary === true ? 'button primary' : 'button'}
        href={url}
        download={props.name ?? ''}
        onClick={(event) => {
          if (!needsSession || url.startsWith('blob:')) return;
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

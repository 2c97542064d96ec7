/** A dialog with the document as curl, command line, code or JSON. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { COPY_KINDS, COPY_TITLES, type CopyKind, copyAs } from '../copy/commands.ts';
import { convertedInputs } from '../model/document.ts';
import { encodePipeline } from '../model/link.ts';
import { workspace } from '../model/workspace.ts';
import { formatOf, SERVICE_URL } from '../service.ts';

export function CopyAs(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [kind, setKind] = useState<CopyKind | 'link'>('curl');
  const [isCopied, setCopied] = useState(false);
  const document = workspace.current.value;
  const context = {
    serviceUrl: SERVICE_URL,
    outputExtension: formatOf(document.output.format)?.output_extension ?? '',
  };
  const pipeline = encodePipeline(document);
  const text =
    kind !== 'link'
      ? copyAs(kind, document, context)
      : pipeline === null
        ? null
        : `${SERVICE_URL}/#pipeline=${pipeline}`;
  const choose = (next: typeof kind) => {
    setKind(next);
    setCopied(false);
  };
  return (
    <>
      <button
        type="button"
        disabled={convertedInputs(document).length === 0}
        onClick={() => {
          setCopied(false);
          dialog.current?.showModal();
        }}
      >
        Copy as…
      </button>
      <dialog ref={dialog} class="copy-as" aria-label="Run this job elsewhere">
        <div class="actions" role="group" aria-label="Language">
          {COPY_KINDS.map((one) => (
            <button key={one} type="button" aria-pressed={one === kind} onClick={() => choose(one)}>
              {COPY_TITLES[one]}
            </button>
          ))}
          <button type="button" aria-pressed={kind === 'link'} onClick={() => choose('link')}>
            Link
          </button>
        </div>
        <pre tabIndex={0}>
          <code>
            {text ?? 'This job is too long for a link. Copy the job document, and drop it on this page.'}
          </code>
        </pre>
        {kind === 'link' && <p class="soft">The link has the steps, not the files: they are added again.</p>}
        <div class="actions">
          <button
            type="button"
            class="primary"
            disabled={text === null}
            onClick={() => {
              void navigator.clipboard.writeText(text ?? '').then(() => setCopied(true));
            }}
          >
            Copy
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
          <span role="status">{isCopied && 'Copied'}</span>
        </div>
      </dialog>
    </>
  );
}

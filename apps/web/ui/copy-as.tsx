/** In a dialog: the document as curl, command line, code or JSON. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { copyAs } from '../copy/commands.ts';
import { COPY_KINDS, COPY_TITLES, FOR_SERVICES } from '../copy/kinds.ts';
import { copyKind } from '../model/layout.ts';
import { encodePipeline } from '../model/link.ts';
import { outputExtension } from '../model/split-output.ts';
import { workspace } from '../model/workspace.ts';
import { formatOf, isServiceThere, SERVICE_URL } from '../service.ts';
import { isMac } from './command-button.tsx';
import { DialogHead } from './modal.tsx';

export function CopyAs(): JSX.Element {
  const kinds = COPY_KINDS.filter((one) => isServiceThere.value || !FOR_SERVICES.has(one));
  const kind = copyKind.value === 'link' || kinds.includes(copyKind.value) ? copyKind.value : kinds[0];
  const [said, say] = useState('');
  const shown = useRef<HTMLPreElement>(null);
  const document = workspace.current.value;
  const format = formatOf(document.output.format);
  const context = {
    serviceUrl: SERVICE_URL,
    outputExtension: format === null ? '' : outputExtension(document.output, format),
    crsRule: format,
  };
  const pipeline = encodePipeline(document);
  const text =
    kind !== 'link'
      ? copyAs(kind, document, context)
      : pipeline === null
        ? null
        : `${SERVICE_URL}/#pipeline=${pipeline}`;
  const choose = (next: typeof kind) => {
    copyKind.value = next;
    say('');
  };
  const copy = async () => {
    try {
      // Browsers have it on https and on this machine only.
      await navigator.clipboard.writeText(text ?? '');
      say('Copied');
    } catch {
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
      say(`The browser does not let this page copy. The text is selected: press ${isMac ? '⌘C' : 'Ctrl+C'}.`);
    }
  };
  return (
    <>
      <DialogHead title="Run this job elsewhere" />
      <div class="actions" role="group" aria-label="Language">
        {kinds.map((one) => (
          <button key={one} type="button" aria-pressed={one === kind} onClick={() => choose(one)}>
            {COPY_TITLES[one]}
          </button>
        ))}
        <button type="button" aria-pressed={kind === 'link'} onClick={() => choose('link')}>
          Link
        </button>
      </div>
      <pre ref={shown} tabIndex={0}>
        <code>
          {text ?? 'This job is too long for a link. Copy the job document, and drop it on this page.'}
        </code>
      </pre>
      {kind === 'link' && <p class="soft">The link has the steps, not the files: they are added again.</p>}
      <div class="actions">
        <button type="button" class="primary" disabled={text === null} onClick={() => void copy()}>
          Copy
        </button>
        <span role="status">{said}</span>
      </div>
    </>
  );
}

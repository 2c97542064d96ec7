/** A field for text that becomes a source: GeoJSON, WKT, a job document, or a URL. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { elementIds } from '../model/layout.ts';
import { addPasted } from '../model/open.ts';
import { messageOf } from '../service.ts';

export function PasteBox(): JSX.Element {
  return (
    <details class="paste">
      <summary>Paste text</summary>
      <PasteField
        id={elementIds.paste}
        label="GeoJSON, WKT or a job document"
        action="Add"
        onAdd={addPasted}
      />
    </details>
  );
}

/** A text area with a button. An error that `onAdd` throws is shown below the text, which stays. */
export function PasteField(props: {
  readonly id: string;
  readonly label: string;
  readonly action: string;
  readonly onAdd: (text: string) => void | Promise<void>;
}): JSX.Element {
  const [text, setText] = useState('');
  const [reason, setReason] = useState<string | null>(null);
  const add = async () => {
    try {
      await props.onAdd(text);
      setText('');
      setReason(null);
    } catch (error) {
      setReason(messageOf(error));
    }
  };
  return (
    <>
      <label for={props.id}>{props.label}</label>
      <textarea
        id={props.id}
        rows={4}
        spellcheck={false}
        aria-invalid={reason !== null}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {reason !== null && (
        <p class="invalid" role="alert">
          {reason}
        </p>
      )}
      <button type="button" disabled={text.trim() === ''} onClick={add}>
        {props.action}
      </button>
    </>
  );
}

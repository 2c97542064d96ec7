/** A field for text that becomes a source: GeoJSON, WKT, an address, or a job document. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { elementIds } from '../model/layout.ts';
import { addPasted } from '../model/open.ts';
import { messageOf } from '../service.ts';

export function PasteBox(): JSX.Element {
  const id = elementIds.paste;
  const [text, setText] = useState('');
  const [reason, setReason] = useState<string | null>(null);
  const add = () => {
    try {
      addPasted(text);
      setText('');
      setReason(null);
    } catch (error) {
      setReason(messageOf(error));
    }
  };
  return (
    <details class="paste">
      <summary>Paste text or an address</summary>
      <label for={id}>GeoJSON, WKT, an http address or a job document</label>
      <textarea
        id={id}
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
        Add
      </button>
    </details>
  );
}

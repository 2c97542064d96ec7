/** What can be done with a column of the table: sort it, or write a step about its field. */
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { WorkspaceDocument } from '../model/document.ts';
import { cellText, type Direction } from '../model/table.ts';
import { canFilterBy, dissolveBy, dropField, filterBy, renameField } from '../model/table-steps.ts';
import { workspace } from '../model/workspace.ts';

export interface MenuTarget {
  readonly name: string;
  /** Of the cell that the menu was opened on; undefined: of the header. */
  readonly cell: { readonly value: unknown } | undefined;
}

export function ColumnMenu(props: {
  readonly target: MenuTarget;
  readonly onSort: (direction: Direction | null) => void;
  readonly onColour: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { name, cell } = props.target;
  const dialog = useRef<HTMLDialogElement>(null);
  const rename = useId();
  const [newName, setNewName] = useState(name);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  const write = (edit: (document: WorkspaceDocument) => WorkspaceDocument) => () => {
    workspace.edit(edit);
    close();
  };
  const sort = (direction: Direction | null) => () => {
    props.onSort(direction);
    close();
  };
  return (
    <dialog ref={dialog} class="column-menu" aria-label={`Column ${name}`} onClose={props.onClose}>
      <h2 dir="auto">{name}</h2>
      <div class="actions" role="group" aria-label="Order of the rows">
        <button type="button" onClick={sort('ascending')}>
          Sort ascending
        </button>
        <button type="button" onClick={sort('descending')}>
          Sort descending
        </button>
        <button type="button" onClick={sort(null)}>
          Order of the file
        </button>
      </div>
      <div class="actions" role="group" aria-label="On the map">
        <button
          type="button"
          onClick={() => {
            props.onColour();
            close();
          }}
        >
          Colour by this field
        </button>
      </div>
      <div class="actions" role="group" aria-label="Add a step">
        {cell !== undefined && canFilterBy(cell.value) && (
          <button type="button" onClick={write((document) => filterBy(document, name, cell.value))}>
            Keep only where it {cell.value == null ? 'has no value' : `is “${shortText(cell.value)}”`}
          </button>
        )}
        <button type="button" onClick={write((document) => dropField(document, name))}>
          Drop this field
        </button>
        <button type="button" onClick={write((document) => dissolveBy(document, name))}>
          Dissolve by this field
        </button>
      </div>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault();
          write((document) => renameField(document, name, newName))();
        }}
      >
        <label for={rename}>New name</label>
        <input
          id={rename}
          type="text"
          required
          dir="auto"
          value={newName}
          onInput={({ currentTarget }) => setNewName(currentTarget.value)}
        />
        <button type="submit" disabled={newName === '' || newName === name}>
          Rename
        </button>
      </form>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}

function shortText(value: unknown): string {
  const text = cellText(value) ?? '';
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

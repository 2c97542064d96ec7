/** A dialog of the page: one is open at a time, by its name in model/layout.ts. */
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type DialogName, dialog } from '../model/layout.ts';

/** Its content exists only while it is open. A click beside it closes it, as Escape does. */
export function Modal(props: {
  readonly name: DialogName;
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const isOpen = dialog.value === props.name;
  // Before the next key arrives, which is meant for the dialog.
  useLayoutEffect(() => {
    if (isOpen) element.current?.showModal();
    else element.current?.close();
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes dialogs
    <dialog
      ref={element}
      class={props.class}
      aria-label={props.label}
      onCancel={() => {
        dialog.value = null;
      }}
      // It comes later, when the dialog may be open again.
      onClose={({ currentTarget }) => {
        if (!currentTarget.open && dialog.value === props.name) dialog.value = null;
      }}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) closeDialog();
      }}
    >
      {isOpen && <div class="dialog-content">{props.children}</div>}
    </dialog>
  );
}

/** Closes the dialog now, so that the focus is back where it was before something else takes it. */
export function closeDialog(): void {
  document.querySelector<HTMLDialogElement>('dialog[open]')?.close();
  dialog.value = null;
}

/** Title and button of a dialog. The button has the focus first, which is at the top also in a long dialog. */
export function DialogHead({ title }: { readonly title: string }): JSX.Element {
  return (
    <div class="dialog-head">
      <h2>{title}</h2>
      <button type="button" class="quiet" onClick={closeDialog}>
        Close
      </button>
    </div>
  );
}

/** Buttons of commands, with their shortcuts. */
import type { ComponentChildren, JSX } from 'preact';
import { ariaKeys, keyTexts } from '../model/shortcut.ts';
import { commandOf } from './commands.ts';

/** Macs have other keys. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

export function CommandButton(props: {
  readonly id: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const command = commandOf(props.id);
  const shortcuts = command?.shortcuts ?? [];
  const keys = shortcuts.length === 0 ? '' : ` (${keyTexts(shortcuts[0], isMac).join(isMac ? '' : '+')})`;
  return (
    <button
      type="button"
      class={props.class ?? ''}
      title={`${command?.title ?? ''}${keys}`}
      disabled={command?.isEnabled !== true}
      aria-keyshortcuts={shortcuts.length === 0 ? undefined : ariaKeys(shortcuts, isMac)}
      onClick={() => command?.run()}
    >
      {props.children}
    </button>
  );
}

/** The keys of a command as they are on the keyboard; `aria-keyshortcuts` has them for screen readers. */
export function Keys({ id }: { readonly id: string }): JSX.Element | null {
  const shortcut = commandOf(id)?.shortcuts?.[0];
  if (shortcut === undefined) return null;
  return (
    <span class="keys" aria-hidden="true">
      {keyTexts(shortcut, isMac).map((text) => (
        <kbd key={text}>{text}</kbd>
      ))}
    </span>
  );
}

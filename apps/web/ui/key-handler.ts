/** Runs commands by their shortcuts. */
import { signal } from '@preact/signals';
import { dialog } from '../model/layout.ts';
import { isPressed, type Shortcut } from '../model/shortcut.ts';
import { isMac } from './command-button.tsx';
import { commands } from './commands.ts';
import { closeDialog } from './modal.tsx';

/** Key of localStorage. */
const KEPT = 'geomill-single-keys';

/** Whether shortcuts of a single character work; people who speak to their computer switch them off (WCAG 2.1.4). */
export const hasSingleKeys = signal(readKept());

export function setSingleKeys(isOn: boolean): void {
  hasSingleKeys.value = isOn;
  try {
    localStorage.setItem(KEPT, String(isOn));
  } catch {
    // Storage is full or switched off: the choice holds until the page is closed.
  }
}

function readKept(): boolean {
  try {
    return localStorage.getItem(KEPT) !== 'false';
  } catch {
    return true;
  }
}

/** Returns what ends it. */
export function followKeys(): () => void {
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const command = commands
    .peek()
    .find(({ shortcuts }) => shortcuts?.some((one) => isPressed(one, event, isMac) && isAllowed(one, event)));
  if (command === undefined) return;
  const isOpen = document.querySelector('dialog[open]') !== null;
  if (isOpen) {
    // Under a dialog nothing changes; the shortcut of the palette closes it again.
    if (command.id === 'palette' && dialog.peek() === 'palette') closeDialog();
    else if (command.id !== 'palette') return;
  } else if (command.isEnabled && !event.repeat) command.run();
  event.preventDefault();
}

function isAllowed({ hasModifier, worksInText }: Shortcut, { target }: KeyboardEvent): boolean {
  if (!hasModifier && !hasSingleKeys.peek()) return false;
  return worksInText === true || !takesText(target);
}

const NO_TEXT = new Set(['checkbox', 'radio', 'button', 'submit', 'file', 'range', 'color']);

/** Whether keys have a meaning of their own there: text fields, and lists that are searched by typing. */
export function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !NO_TEXT.has(target.type);
  return target.isContentEditable || target.matches('textarea, select');
}

/** Shortcuts as events, as people read them, and as `aria-keyshortcuts` has them. Pure. */

export interface Shortcut {
  /** As `KeyboardEvent.key` has it; letters are lower case. */
  readonly key: string;
  /** With Ctrl, on a Mac with Command. Without: a single character, which people can switch off. */
  readonly hasModifier: boolean;
  readonly hasShift?: boolean;
  /** Whether it also works in a text field: only where it has no meaning for text. */
  readonly worksInText?: boolean;
}

/** The part of a `KeyboardEvent` that decides. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

export function isPressed(shortcut: Shortcut, event: KeyPress, isMac: boolean): boolean {
  const [modifier, other] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  return (
    event.key.toLowerCase() === shortcut.key.toLowerCase() &&
    modifier === shortcut.hasModifier &&
    !other &&
    !event.altKey &&
    // Which key a character is on, and whether with Shift, depends on the keyboard.
    (!shortcut.hasModifier || event.shiftKey === (shortcut.hasShift ?? false))
  );
}

/** One text for each key: ["Ctrl", "Shift", "Z"], on a Mac ["⇧", "⌘", "Z"]. */
export function keyTexts({ key, hasModifier, hasShift }: Shortcut, isMac: boolean): string[] {
  const name = key === 'Enter' ? (isMac ? '↩' : 'Enter') : key.toUpperCase();
  const shift = hasShift === true ? [isMac ? '⇧' : 'Shift'] : [];
  const modifier = hasModifier ? [isMac ? '⌘' : 'Ctrl'] : [];
  return isMac ? [...shift, ...modifier, name] : [...modifier, ...shift, name];
}

/** Value of `aria-keyshortcuts`; several shortcuts are alternatives. */
export function ariaKeys(shortcuts: readonly Shortcut[], isMac: boolean): string {
  return shortcuts
    .map(({ key, hasModifier, hasShift }) =>
      [
        ...(hasModifier ? [isMac ? 'Meta' : 'Control'] : []),
        ...(hasShift === true ? ['Shift'] : []),
        key.length === 1 ? key.toUpperCase() : key,
      ].join('+'),
    )
    .join(' ');
}

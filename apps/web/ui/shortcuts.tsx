/** In a dialog: all shortcuts. */
import type { JSX } from 'preact';
import { keyTexts } from '../model/shortcut.ts';
import { isMac } from './command-button.tsx';
import { commands } from './commands.ts';
import { hasSingleKeys, setSingleKeys } from './key-handler.ts';
import { DialogHead } from './modal.tsx';

/** Keys of parts of the page, which work while the focus is in them. */
const LOCAL_KEYS: readonly (readonly [place: string, keys: readonly string[], text: string])[] = [
  ['Title of a step', ['Alt', '↑'], 'Move it up'],
  ['Title of a step', ['Alt', '↓'], 'Move it down'],
  ['Map', ['+'], 'Zoom in'],
  ['Map', ['-'], 'Zoom out'],
  ['Map', ['↑ ↓ ← →'], 'Move'],
  ['Map with a result', ['C'], 'Show before or after while it is held'],
  ['Table', ['↑ ↓ ← →'], 'Move between cells'],
  ['Table', ['Enter'], 'Show the feature, or the menu of a column'],
  ['Table', ['Shift', 'F10'], 'Menu of the column'],
  ['Edge of the table', ['↑'], 'Make it higher'],
  ['Edge of the table', ['↓'], 'Make it lower'],
];

export function Shortcuts(): JSX.Element {
  return (
    <>
      <DialogHead title="Keyboard shortcuts" />
      <div class="shortcut-lists">
        <section aria-label="Everywhere">
          <h3>Everywhere</h3>
          <dl>
            {commands.value.map(({ id, title, shortcuts = [] }) =>
              shortcuts.length === 0 ? null : (
                <div key={id}>
                  <dt>{title}</dt>
                  <dd>
                    {shortcuts.map((shortcut, i) => (
                      <span key={i}>
                        {i > 0 && ' or '}
                        <KeyList texts={keyTexts(shortcut, isMac)} />
                      </span>
                    ))}
                  </dd>
                </div>
              ),
            )}
          </dl>
        </section>
        <section aria-label="With the focus in a part">
          <h3>With the focus in a part</h3>
          <dl>
            {LOCAL_KEYS.map(([place, keys, text]) => (
              <div key={place + text}>
                <dt>
                  {place}: {text.charAt(0).toLowerCase() + text.slice(1)}
                </dt>
                <dd>
                  <KeyList texts={keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={hasSingleKeys.value}
          onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        />
        Shortcuts of a single key
      </label>
      <p class="soft">
        In a text field they never work. Switch them off if you control the computer by voice.
      </p>
    </>
  );
}

function KeyList({ texts }: { readonly texts: readonly string[] }): JSX.Element {
  return (
    <span class="keys">
      {texts.map((text) => (
        <kbd key={text}>{text}</kbd>
      ))}
    </span>
  );
}

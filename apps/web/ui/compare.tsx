/** Before, after or both: buttons, and a key that shows the sources while it is held. */
import { useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { chosenSide, isComparable, isComparing, type Side, shownSide } from '../model/map-layers.ts';
import { hasSingleKeys, takesText } from './key-handler.ts';

const KEY = 'c';
const SIDES: readonly [Side, string][] = [
  ['before', 'Before'],
  ['after', 'After'],
  ['both', 'Both'],
];

export function Compare(): JSX.Element | null {
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const release = () => {
      isComparing.value = false;
    };
    document.addEventListener(
      'keydown',
      (event) => {
        if (event.key.toLowerCase() !== KEY || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.repeat || !isComparable.peek() || !hasSingleKeys.peek() || takesText(event.target)) return;
        if (document.querySelector('dialog[open]') !== null) return;
        isComparing.value = true;
      },
      { signal },
    );
    document.addEventListener(
      'keyup',
      ({ key }) => {
        if (key.toLowerCase() === KEY) release();
      },
      { signal },
    );
    // The key may be released in another window.
    addEventListener('blur', release, { signal });
    return () => {
      abort.abort();
      release();
    };
  }, []);
  // Without a result there is nothing to go back to, so that the next result is shown.
  useSignalEffect(() => {
    if (!isComparable.value) chosenSide.value = 'both';
  });
  if (!isComparable.value) return null;
  return (
    <div class="compare" role="group" aria-label="Compare before and after">
      {SIDES.map(([side, text]) => (
        <button
          key={side}
          type="button"
          class={shownSide.value === side ? 'shown' : ''}
          aria-pressed={chosenSide.value === side}
          onClick={() => {
            chosenSide.value = side;
          }}
        >
          {text}
        </button>
      ))}
      {hasSingleKeys.value && (
        <span class="soft">
          Hold <kbd>C</kbd> for {chosenSide.value === 'before' ? 'after' : 'before'}
        </span>
      )}
    </div>
  );
}

const SENTENCES: Readonly<Record<Side, string>> = {
  before: 'The map shows the sources only.',
  after: 'The map shows the results only.',
  both: 'The map shows sources and results.',
};

/** What the map shows, for the live region; null: there is nothing to compare. */
export function comparisonSentence(): string | null {
  return isComparable.value ? SENTENCES[shownSide.value] : null;
}

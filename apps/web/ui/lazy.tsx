/** Parts of the page that are loaded when they are first shown, so that the page itself opens quickly. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { type Loading, messageOf } from '../service.ts';
import { Busy, Problem } from './controls.tsx';

type Part<Props> = (props: Props) => JSX.Element | null;

/**
 * The part that `load` imports; until then it says that it is being loaded, in an item if the part is one of a list. An error in
 * the part is shown in its place: outside of a boundary, Preact drops the waiting effects of all other components, too, and
 * runs none after that.
 */
export function lazy<Props extends object>(load: () => Promise<Part<Props>>, isItem = false): Part<Props> {
  const placed = (notice: JSX.Element): JSX.Element => (isItem ? <li class="card">{notice}</li> : notice);
  const loaded = signal<Loading<Part<Props>> | null>(null);
  const start = () => {
    loaded.value = { state: 'loading' };
    load().then(
      (value) => {
        loaded.value = { state: 'ready', value };
      },
      (error) => {
        loaded.value = { state: 'failed', message: messageOf(error) };
      },
    );
  };
  const failed = (message: string, again: () => void) =>
    placed(
      <Problem message={message}>
        <button type="button" onClick={again}>
          Try again
        </button>
      </Problem>,
    );
  return (props) => {
    const [error, reset] = useErrorBoundary((thrown) => console.error(thrown));
    const now = loaded.value;
    if (now === null) queueMicrotask(start);
    if (error !== undefined) return failed(`This part of the page failed. ${messageOf(error)}`, reset);
    if (now?.state === 'failed')
      return failed(`This part of the page could not be loaded. ${now.message}`, start);
    if (now?.state !== 'ready') return placed(<Busy label="Loading…" />);
    const { value: Loaded } = now;
    return <Loaded {...props} />;
  };
}

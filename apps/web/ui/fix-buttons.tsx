/** What can be done about an error, as buttons that edit the document. */
import type { ComponentChildren, JSX } from 'preact';
import { documentFixes, type RunFailure } from '../model/fixes.ts';
import { sources } from '../model/sources.ts';
import { workspace } from '../model/workspace.ts';

export function FixButtons(props: {
  readonly failure: RunFailure;
  /** Names of the inputs that it is about. */
  readonly paths: readonly string[];
  /** Whether a missing CRS is to be chosen here. */
  readonly withCrs: boolean;
  /** After the edit. */
  readonly onFixed?: () => void;
  /** More buttons. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { failure, paths, withCrs } = props;
  const candidates = paths.flatMap((path) => sources.value.get(path)?.suggestions ?? []);
  const fixes = withCrs || !failure.needsCrs ? documentFixes(failure, paths, candidates) : [];
  return (
    <div class="fixes" role="group" aria-label="What can be done">
      {fixes.map(({ label, apply }) => (
        <button
          key={label}
          type="button"
          onClick={() => {
            workspace.edit(apply);
            props.onFixed?.();
          }}
        >
          {label}
        </button>
      ))}
      {props.children}
    </div>
  );
}

/** Starting jobs, always in view, and the dialogs about them. */
import type { JSX } from 'preact';
import { CommandButton } from './command-button.tsx';
import { commandOf } from './commands.ts';

export function RunBar(): JSX.Element {
  return (
    <div class="run-bar">
      <CommandButton id="run" class="primary">
        Convert
      </CommandButton>
      <button
        type="button"
        disabled={commandOf('copy curl')?.isEnabled !== true}
        onClick={() => commandOf('copy curl')?.run()}
      >
        Copy as…
      </button>
      <CommandButton id="jobs">Earlier jobs…</CommandButton>
    </div>
  );
}

/** Starting jobs, always in view, and the dialogs about them. */
import type { JSX } from 'preact';
import { showPart, stepToFocus } from '../model/layout.ts';
import { obstacle } from '../model/obstacle.ts';
import { isServiceThere } from '../service.ts';
import { CommandButton } from './command-button.tsx';
import { commandOf } from './commands.ts';
import { EngineBar } from './engine-bar.tsx';

export function RunBar(): JSX.Element {
  const reason = obstacle.value;
  return (
    <div class="run-bar">
      <EngineBar />
      {reason !== null && (
        <p class="obstacle" role="status">
          <button
            type="button"
            class="link"
            onClick={() => {
              showPart('steps');
              stepToFocus.value = reason.step;
            }}
          >
            {reason.text}
          </button>
        </p>
      )}
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
      {isServiceThere.value && <CommandButton id="jobs">Earlier jobs…</CommandButton>}
    </div>
  );
}

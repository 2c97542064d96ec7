/** The line above everything: the name, undo and redo, the commands, and links. */
import type { JSX } from 'preact';
import { isServiceThere, SERVICE_URL } from '../service.ts';
import { CommandButton, Keys } from './command-button.tsx';
import { AccountLink } from './sign-in.tsx';

export function Header(): JSX.Element {
  return (
    <header>
      <h1>
        <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
          <path class="low" d="M8 8l7 3-7 3.5L1 11z" />
          <path class="middle" d="M8 5l7 3-7 3.5L1 8z" />
          <path class="high" d="M8 1.5L15 5 8 8.500 1 5z" />
        </svg>
        geomill
      </h1>
      <div class="actions" role="group" aria-label="History of edits">
        <CommandButton id="undo" class="quiet">
          Undo
        </CommandButton>
        <CommandButton id="redo" class="quiet">
          Redo
        </CommandButton>
      </div>
      <CommandButton id="palette" class="find">
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9M10.500 10.500L14 14" />
        </svg>
        <span>Find a command</span>
        <Keys id="palette" />
      </CommandButton>
      <nav aria-label="Service">
        {isServiceThere.value && <a href={`${SERVICE_URL}/docs`}>Docs</a>}
        <AccountLink />
      </nav>
    </header>
  );
}

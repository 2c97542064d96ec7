/** What adds files: buttons, a field for a URL, a box for pasted text. */
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { engine } from '../engines/current.ts';
import { MAX_DROPPED_FILES } from '../model/dropped-files.ts';
import { elementIds } from '../model/layout.ts';
import { addDropped, addFolders } from '../model/open.ts';
import { canFetchUrls } from '../service.ts';
import { commandOf } from './commands.ts';
import { lazy } from './lazy.tsx';

export function AddFiles({ isFirst }: { readonly isFirst: boolean }): JSX.Element {
  return (
    <div class={isFirst ? 'drop-zone large' : 'drop-zone'}>
      {isFirst && <p>Drop files anywhere on this page.</p>}
      <div class="actions">
        <FileButton
          text={isFirst ? 'Choose files…' : 'Add files…'}
          label="Files to convert"
          isPrimary={isFirst}
          inputId={elementIds.files}
        />
        <FolderButton />
      </div>
      {isFirst && (
        <button type="button" class="link" onClick={() => commandOf('sample')?.run()}>
          Try it with a sample file
        </button>
      )}
      {isFirst && (
        <small>
          A shapefile is a .zip, or its .shp, .dbf, .shx, .prj and .cpg files together; a file geodatabase is
          its folder, or a .zip of it.
        </small>
      )}
      {canFetchUrls() &&
        (engine.value.id === 'service' ? (
          <UrlField />
        ) : (
          isFirst && (
            <small>A file at a URL is fetched by the server only: use the server, or download it.</small>
          )
        ))}
      <PasteBox />
    </div>
  );
}

function FolderButton(): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        Add folder…
      </button>
      <input
        ref={(element) => {
          input.current = element;
          // Not in the types of HTML, but in all browsers.
          element?.setAttribute('webkitdirectory', '');
        }}
        class="visually-hidden"
        type="file"
        tabIndex={-1}
        aria-label="Folder to convert"
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          const isCut = files.length > MAX_DROPPED_FILES;
          void addFolders({ files: files.slice(0, MAX_DROPPED_FILES), isCut });
          currentTarget.value = '';
        }}
      />
    </>
  );
}

export function FileButton(props: {
  readonly text: string;
  readonly label: string;
  readonly isPrimary: boolean;
  readonly inputId?: string;
}): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class={props.isPrimary ? 'primary' : ''} onClick={() => input.current?.click()}>
        {props.text}
      </button>
      <input
        ref={input}
        id={props.inputId}
        class="visually-hidden"
        type="file"
        multiple
        tabIndex={-1}
        // The button is what people and screen readers use.
        aria-hidden="true"
        aria-label={props.label}
        onChange={({ currentTarget }) => {
          void addDropped([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </>
  );
}

export const PasteBox = lazy(async () => (await import('./paste-box.tsx')).PasteBox);
export const UrlField = lazy(() => import('./url-field.tsx').then((module) => module.UrlField));

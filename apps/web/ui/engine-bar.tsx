/** Says where files are converted, and changes that. */
import type { JSX } from 'preact';
import { engine, engineProblem, MAX_LOCAL_BYTES, otherEngine } from '../engines/current.ts';
import { sources, switchEngine } from '../model/sources.ts';
import { workspace } from '../model/workspace.ts';
import { SERVICE_URL } from '../service.ts';
import { Problem, sizeText } from './controls.tsx';

export const serviceHost = (): string => new URL(SERVICE_URL).host;

export function EngineBar(): JSX.Element {
  const { value: other } = otherEngine;
  const { value: problem } = engineProblem;
  const isLocal = engine.value.id === 'local';
  return (
    <div class="engine-bar">
      {problem !== null && <Problem message={problem} />}
      <p>
        <span role="status">
          {isLocal ? (
            <>
              <strong>On this computer</strong>: no file leaves it.
            </>
          ) : (
            <>
              <strong>
                On the server <bdi>{serviceHost()}</bdi>
              </strong>
              : files are sent there.
            </>
          )}
        </span>{' '}
        {other !== null && (
          <button type="button" class="link" onClick={() => switchEngine(other)}>
            {isLocal ? 'Use the server' : 'Use this computer'}
          </button>
        )}
      </p>
      {isLocal && <SizeNote />}
    </div>
  );
}

/** Files that a tab may not be able to take. */
function SizeNote(): JSX.Element | null {
  const paths = new Set(workspace.current.value.inputs.map(({ path }) => path));
  const byteLength = [...sources.value.values()]
    .filter(({ path }) => paths.has(path))
    .reduce((sum, source) => sum + (source.byteLength ?? 0), 0);
  if (byteLength <= MAX_LOCAL_BYTES) return null;
  return (
    <p class="caution">
      The files have {sizeText(byteLength)}. A tab takes {sizeText(MAX_LOCAL_BYTES)} for certain; with more it
      may run out of memory.
      {otherEngine.value === null ? ' The command line has no such limit.' : ' The server has no such limit.'}
    </p>
  );
}

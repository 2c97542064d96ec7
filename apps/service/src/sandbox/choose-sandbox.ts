/** Chooses the sandbox level: the configured one, or the strongest that works here. Each is tested. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { bubblewrapSandbox } from './bubblewrap.ts';
import { ownUserSandbox } from './own-user.ts';
import { NO_SANDBOX, type Sandbox, type SandboxLevel } from './sandbox.ts';

export interface SandboxOptions {
  readonly wanted: SandboxLevel | 'auto';
  /** The first user id for processes at the level `user`. */
  readonly firstUid: number;
  readonly slotsDirectory: string;
}

export interface ChosenSandbox {
  readonly sandbox: Sandbox;
  /** Stronger levels, and why they do not work here. */
  readonly missing: readonly { readonly level: SandboxLevel; readonly reason: string }[];
}

const REMEDIES: Readonly<Record<'bwrap' | 'user', string>> = {
  bwrap: 'install bubblewrap (apt-get install bubblewrap) and allow user namespaces, or set auto',
  user: 'start the service as root from directories that other users can reach, or set auto',
};

/** Throws SETTING_INVALID if the configured level does not work. */
export async function chooseSandbox({
  wanted,
  firstUid,
  slotsDirectory,
}: SandboxOptions): Promise<ChosenSandbox> {
  const build: Readonly<Record<'bwrap' | 'user', () => Promise<Sandbox>>> = {
    bwrap: bubblewrapSandbox,
    user: () => ownUserSandbox(firstUid, slotsDirectory),
  };
  const missing: { level: SandboxLevel; reason: string }[] = [];
  if (wanted === 'none') return { sandbox: NO_SANDBOX, missing };
  const levels = wanted === 'auto' ? (['bwrap', 'user'] as const) : [wanted];
  for (const level of levels) {
    try {
      return { sandbox: await build[level](), missing };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (wanted === level)
        throw failure(
          generalErrors.SETTING_INVALID,
          { name: 'RUNNER_SANDBOX', value: wanted, reason: `${why}; ${REMEDIES[level]}` },
          undefined,
          error,
        );
      missing.push({ level, reason: why });
    }
  }
  return { sandbox: NO_SANDBOX, missing };
}

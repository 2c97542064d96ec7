/** Chooses the sandbox level: the configured one, or the strongest that works here. Each is tested. */
import { failure } from '../errors.ts';
import { bubblewrapWall } from './bubblewrap.ts';
import { ownUserWall } from './own-user.ts';
import { NO_WALL, type Wall, type WallLevel } from './wall.ts';

export interface WallOptions {
  readonly wanted: WallLevel | 'auto';
  /** The first user id for processes at the level `user`. */
  readonly firstUid: number;
  readonly slotsDirectory: string;
}

export interface ChosenWall {
  readonly wall: Wall;
  /** Stronger levels, and why they do not work here. */
  readonly missing: readonly { readonly level: WallLevel; readonly reason: string }[];
}

const REMEDIES: Readonly<Record<'bwrap' | 'user', string>> = {
  bwrap: 'install bubblewrap (apt-get install bubblewrap) and allow user namespaces, or set auto',
  user: 'start the service as root from directories that other users can reach, or set auto',
};

/** Throws SETTING_INVALID if the configured level does not work. */
export async function chooseWall({ wanted, firstUid, slotsDirectory }: WallOptions): Promise<ChosenWall> {
  const build: Readonly<Record<'bwrap' | 'user', () => Promise<Wall>>> = {
    bwrap: bubblewrapWall,
    user: () => ownUserWall(firstUid, slotsDirectory),
  };
  const missing: { level: WallLevel; reason: string }[] = [];
  if (wanted === 'none') return { wall: NO_WALL, missing };
  const levels = wanted === 'auto' ? (['bwrap', 'user'] as const) : [wanted];
  for (const level of levels) {
    try {
      return { wall: await build[level](), missing };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (wanted === level)
        throw failure(
          'SETTING_INVALID',
          { name: 'RUNNER_SANDBOX', value: wanted, reason: `${why}; ${REMEDIES[level]}` },
          undefined,
          error,
        );
      missing.push({ level, reason: why });
    }
  }
  return { wall: NO_WALL, missing };
}

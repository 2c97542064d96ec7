/** How long a request waits for its output (RFC 7240). */

export interface WaitRequest {
  /** The Prefer header. */
  readonly prefer: string | undefined;
  /** The query parameter `async`; it takes precedence over the header. */
  readonly asyncParameter: unknown;
  readonly maxSeconds: number;
  /** The default of the endpoint. */
  readonly waitsByDefault: boolean;
}

export interface Wait {
  /** 0: not at all. */
  readonly seconds: number;
  /** Value of Preference-Applied; null: no preference was applied. */
  readonly applied: string | null;
}

export function wantedWait({ prefer, asyncParameter, maxSeconds, waitsByDefault }: WaitRequest): Wait {
  if (asyncParameter === 'true') return { seconds: 0, applied: null };
  const wait = waitPreference(prefer);
  if (wait !== null) {
    const seconds = Math.min(wait, maxSeconds);
    return { seconds, applied: `wait=${seconds}` };
  }
  if (asyncParameter === 'false') return { seconds: maxSeconds, applied: null };
  if (/(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(prefer ?? ''))
    return { seconds: 0, applied: 'respond-async' };
  return { seconds: waitsByDefault ? maxSeconds : 0, applied: null };
}

/** Seconds of the `wait` preference; null: not given. */
function waitPreference(prefer: string | undefined): number | null {
  for (const preference of (prefer ?? '').split(',')) {
    const match = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference);
    if (match !== null) return Number(match[1]);
  }
  return null;
}

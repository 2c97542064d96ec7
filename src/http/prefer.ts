/** How long a client wants to wait for its output in the same request. */

/** `?async=false`, or `Prefer: wait=SECONDS` (RFC 7240), bounded by what the service allows. 0: not at all. */
export function wantedWaitSeconds(
  prefer: string | undefined,
  asyncParameter: unknown,
  maxSeconds: number,
): number {
  if (asyncParameter === 'true') return 0;
  const wait = waitPreference(prefer);
  if (wait !== null) return Math.min(wait, maxSeconds);
  return asyncParameter === 'false' ? maxSeconds : 0;
}

/** Seconds of the `wait` preference; null when there is none. */
export function waitPreference(prefer: string | undefined): number | null {
  for (const preference of (prefer ?? '').split(',')) {
    const match = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference);
    if (match !== null) return Number(match[1]);
  }
  return null;
}

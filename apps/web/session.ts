/** Who is signed in, on a service that requires credentials, and the access tokens of this page. */
import { GeomillProblem, sessionToken } from '@geomill/client/client.ts';
import { signal } from '@preact/signals';

/** Address of the service, with its path if it is below one. */
export const SERVICE_URL = new URL('.', document.baseURI).href.replace(/\/$/, '');

const meta = document.querySelector<HTMLMetaElement>('meta[name="geomill-account"]');

/** Whether the service requires credentials. */
export const needsSession = meta !== null;
/** E-mail address of the signed-in user; null: no user is signed in, or none needs to be. */
export const account = signal<string | null>(meta?.content || null);
/** Whether requests wait for the user to sign in. */
export const isSignInNeeded = signal(false);

const exchange = sessionToken(SERVICE_URL, {
  onSession: (session) => {
    account.value = session?.email ?? null;
  },
});

let signedIn: PromiseWithResolvers<void> | null = null;

/** For the client. Where the session is missing it waits until the user has signed in, so that requests go on after that. */
export async function pageToken(rejected?: string): Promise<string> {
  for (;;) {
    try {
      return await exchange(rejected);
    } catch (error) {
      if (!(error instanceof GeomillProblem) || error.code !== 'SESSION_MISSING') throw error;
    }
    signedIn ??= Promise.withResolvers();
    isSignInNeeded.value = true;
    await signedIn.promise;
  }
}

/** Continues the requests that wait if the user has signed in, perhaps in another tab. Returns whether that is so. */
export async function resumeSession(): Promise<boolean> {
  try {
    await exchange();
  } catch (error) {
    if (error instanceof GeomillProblem && error.code === 'SESSION_MISSING') return false;
    throw error;
  }
  isSignInNeeded.value = false;
  signedIn?.resolve();
  signedIn = null;
  return true;
}

/** Fails the requests that wait. */
export function refuseSignIn(): void {
  isSignInNeeded.value = false;
  signedIn?.reject(new Error('You are not signed in. Sign in, then try again.'));
  signedIn = null;
}

/** `next`: the path on the service that follows. */
export function signInUrl(next: '/' | '/account'): string {
  return `${SERVICE_URL}/account/sign-in?next=${encodeURIComponent(next)}`;
}

/** Address of the output of a job. Links send no token, but pages of the service take the session. */
export function outputUrl(id: string): string {
  const path = needsSession
    ? `/jobs/${encodeURIComponent(id)}/output`
    : `/result/output/${encodeURIComponent(id)}`;
  return SERVICE_URL + path;
}

/** Address of the places of the findings of a job, as `outputUrl`. */
export function findingsUrl(id: string): string {
  const path = `/jobs/${encodeURIComponent(id)}/findings`;
  return SERVICE_URL + (needsSession ? path : `/v1${path}`);
}

/** Downloads an address, after signing in if the session has ended. */
export async function downloadWithSession(url: string): Promise<void> {
  // A token may outlive its session by minutes, so a new one is asked for.
  await pageToken(await pageToken());
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}

/** Signing in on a service that requires credentials: the link of the header, a notice, and a dialog in mid-work. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../service.ts';
import {
  account,
  isSignInNeeded,
  needsSession,
  refuseSignIn,
  resumeSession,
  SERVICE_URL,
  signInUrl,
} from '../session.ts';
import { Problem } from './controls.tsx';

export function AccountLink(): JSX.Element | null {
  if (!needsSession) return null;
  if (account.value === null) return <a href={signInUrl('/')}>Sign in</a>;
  return (
    <a class="account" href={`${SERVICE_URL}/account`}>
      {account.value}
    </a>
  );
}

/** Above the panels while no user is signed in. */
export function SignInNotice(): JSX.Element | null {
  if (!needsSession || account.value !== null) return null;
  return (
    <div class="sign-in-notice">
      <p>
        Sign in to convert files here. Your jobs are visible only to you and the administrators of this
        service.
      </p>
      <a class="button primary" href={signInUrl('/')}>
        Sign in
      </a>
    </div>
  );
}

/** Open while requests wait for the user. Another tab can sign in, so that this page keeps its files. */
export function SignInDialog(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const isNeeded = isSignInNeeded.value;
  const resume = (isAsked: boolean) =>
    resumeSession().then(
      (isSignedIn) =>
        setFailure(
          isSignedIn || !isAsked ? null : 'You are not signed in yet. Sign in in the other tab first.',
        ),
      (error) => setFailure(messageOf(error)),
    );
  useEffect(() => {
    const { current } = dialog;
    if (!isNeeded || current === null) return;
    current.showModal();
    const onReturn = () => void resume(false);
    addEventListener('focus', onReturn);
    return () => {
      removeEventListener('focus', onReturn);
      current.close();
    };
  }, [isNeeded]);
  if (!needsSession) return null;
  return (
    <dialog ref={dialog} class="sign-in" aria-label="Sign in" onCancel={refuseSignIn}>
      <h2>Sign in to continue</h2>
      <p>
        This service requires that you sign in, and there is no session, or it has ended. This page keeps its
        work and continues when you return from the other tab.
      </p>
      {failure !== null && <Problem message={failure} />}
      <div class="actions">
        <a class="button primary" href={signInUrl('/account')} target="_blank" rel="noopener">
          Sign in in a new tab
        </a>
        <button type="button" onClick={() => void resume(true)}>
          Continue
        </button>
        <button type="button" onClick={refuseSignIn}>
          Not now
        </button>
      </div>
      <p class="soft">
        Or <a href={signInUrl('/')}>sign in here</a>: this page opens again with its steps and settings, and
        asks for its files again.
      </p>
    </dialog>
  );
}

/** Starts the workspace in the page that the service sent, in place of the form for browsers without scripts. */
import { render } from 'preact';
import { isStatic, messageOf } from './service.ts';
import { App } from './ui/app.tsx';

// The style sheet of the form; that of the workspace is the other.
document.querySelector('link[rel="stylesheet"][href$="/account/style.css"]')?.remove();
const root = document.createElement('div');
root.id = 'workspace';
document.body.replaceChildren(root);
render(<App />, root);
document.documentElement.classList.remove('loading-workspace');

// After what the page itself loads.
if (isStatic && 'serviceWorker' in navigator)
  addEventListener('load', () => {
    navigator.serviceWorker.register(new URL('sw.js', document.baseURI)).catch((error: unknown) => {
      console.info(`This page will not work without a network: ${messageOf(error)}`);
    });
  });

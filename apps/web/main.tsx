/** Starts the workspace in the page that the service sent, in place of the form for browsers without scripts. */
import { render } from 'preact';
import { App } from './ui/app.tsx';

// The style sheet of the form; that of the workspace is the other.
document.querySelector('link[rel="stylesheet"][href$="/account/style.css"]')?.remove();
const root = document.createElement('div');
root.id = 'workspace';
document.body.replaceChildren(root);
render(<App />, root);
document.documentElement.classList.remove('loading-workspace');

/** The document of this page. */
import { EMPTY_DOCUMENT } from './document.ts';
import { History } from './history.ts';

export const workspace = new History(EMPTY_DOCUMENT);

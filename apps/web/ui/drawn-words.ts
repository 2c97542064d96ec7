/** How much of a source is drawn, in words. */
import type { Preview } from '../model/preview-facts.ts';
import type { ViewPreview } from '../model/views.ts';
import { countText } from './controls.tsx';

export type Shares = Pick<Preview, 'drawn' | 'total' | 'isSimplified'>;

export function isWhole({ drawn, total, isSimplified }: Shares): boolean {
  return drawn === total && !isSimplified;
}

export function drawnSentence(preview: Shares): string {
  const { drawn, total, isSimplified } = preview;
  const simplified = isSimplified ? ', with outlines simplified to one pixel' : '';
  if (total === null) return `${countText(drawn)} features drawn${simplified}; all are being counted.`;
  const all = drawn === total ? `All ${countText(total)}` : `${countText(drawn)} of ${countText(total)}`;
  return `${all} features drawn${simplified}. More are drawn where you zoom in.`;
}

export function viewText({ drawn, found, isSimplified }: ViewPreview): string {
  const simplified = isSimplified ? ', simplified' : '';
  if (drawn === found) return `all ${countText(drawn)} in and around this view${simplified}`;
  const all = found === null ? 'more' : countText(found);
  return `${countText(drawn)} of ${all} in and around this view${simplified}`;
}

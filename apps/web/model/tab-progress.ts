/** Progress of the running jobs in the title and the icon of the tab, to be read while another tab is in front. */
import { effect } from '@preact/signals';
import { isActive, type Run, runs } from './run.ts';

/** Returns what ends that. */
export function followProgress(): () => void {
  const title = document.title;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const plainIcon = icon?.getAttribute('href') ?? null;
  let shown: number | null = null;
  const show = (percent: number | null) => {
    if (percent === shown) return;
    shown = percent;
    document.title = percent === null ? title : `${percent} % - geomill`;
    if (icon === null || plainIcon === null) return;
    icon.href = percent === null ? plainIcon : (pieOf(percent) ?? plainIcon);
  };
  const stop = effect(() => show(percentOf(runs.value)));
  return () => {
    stop();
    show(null);
  };
}

/** Whole percents of all active jobs together; null: none is active. */
export function percentOf(all: readonly Pick<Run, 'state' | 'progress'>[]): number | null {
  const active = all.filter(({ state }) => isActive({ state }));
  if (active.length === 0) return null;
  const sum = active.reduce((total, { progress }) => total + (progress?.fraction ?? 0), 0);
  return Math.floor((100 * sum) / active.length);
}

const SIZE = 32;

/** Address of a picture of a pie that is filled so far; null: this browser draws none. */
function pieOf(percent: number): string | null {
  const canvas = document.createElement('canvas');
  canvas.width = SIZE;
  canvas.height = SIZE;
  const context = canvas.getContext('2d');
  if (context === null) return null;
  const [middle, radius] = [SIZE / 2, SIZE / 2 - 2];
  const fill = (colour: string, share: number) => {
    context.beginPath();
    context.moveTo(middle, middle);
    context.arc(middle, middle, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
    context.fillStyle = colour;
    context.fill();
  };
  // Seen on light and dark tabs.
  fill('#b9c4d0', 1);
  fill('#0068a8', percent / 100);
  return canvas.toDataURL('image/png');
}

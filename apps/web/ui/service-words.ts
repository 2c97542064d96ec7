/** Facts of the service in words. */

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const;

/** "24 hours", "7 days": in the largest unit of which there are at least two, unless that would not be exact. */
export function durationText(seconds: number): string {
  for (const [size, unit] of UNITS)
    if (seconds % size === 0 && (seconds >= 2 * size || (unit !== 'day' && seconds === size)))
      return countedText(seconds / size, unit);
  return countedText(seconds, 'second');
}

function countedText(count: number, unit: string): string {
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`;
}

/** Host of a tile address with placeholders in its path. */
export function tilesHost(url: string): string {
  return new URL(url.replace(/[{}]/g, '')).host;
}

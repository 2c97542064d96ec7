/** Packages that few conversions need: each is a part of the program. */
import { part } from './parts.ts';

export function packageLoader(_url: string): (specifier: string) => unknown {
  return (specifier) => part(specifier);
}

/** Packages that few conversions need, and which are loaded at once when one does. */
import { createRequire } from 'node:module';

/**
 * Loads a package for the module whose `import.meta.url` is given: `packageLoader(import.meta.url)('name')`, with the name as a literal, by which
 * the test of the dependencies finds it.
 */
export function packageLoader(url: string): (specifier: string) => unknown {
  return createRequire(url);
}

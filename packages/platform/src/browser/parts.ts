/**
 * Parts of the program that most conversions do not need. Those who need one work at once and cannot wait for it: they get an error, the part is
 * noted, and the caller of the conversion loads it and runs the conversion again.
 */

const loaders = new Map<string, () => Promise<unknown>>();
const loaded = new Map<string, unknown>();
const wanted = new Set<string>();
const underway = new Map<string, Promise<void>>();

/** States how a part is loaded. */
export function definePart(name: string, load: () => Promise<unknown>): void {
  loaders.set(name, load);
}

/** The part; throws if it is not loaded yet. */
export function part(name: string): unknown {
  const found = loaded.get(name);
  if (found !== undefined) return found;
  wanted.add(name);
  throw new Error(`the part '${name}' of the program is not loaded`);
}

/** Loads what was asked for in vain. Resolves with false if there was nothing. */
export async function loadWantedParts(): Promise<boolean> {
  const names = [...wanted];
  wanted.clear();
  await Promise.all(names.map(loadPart));
  return names.length > 0;
}

/** Loads a part, once. */
export async function loadPart(name: string): Promise<void> {
  const load = loaders.get(name);
  if (load === undefined) throw new Error(`there is no part '${name}' of the program`);
  let loading = underway.get(name);
  if (loading === undefined) {
    loading = load().then((content) => void loaded.set(name, content));
    underway.set(name, loading);
    // After a failure, such as of the network, it is tried again.
    loading.catch(() => underway.delete(name));
  }
  await loading;
}

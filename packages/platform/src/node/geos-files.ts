/** The files of the package `geos-wasm`. */

export interface GeosPackage {
  readonly default: (config: { readonly autoInit: boolean }) => Promise<{ readonly Module: unknown }>;
}

/**
 * Emscripten's module of GEOS. The package keeps its instance in a module variable: another `generation`, a number, is loaded from another URL, which
 * gives another instance.
 */
export async function loadGeosModuleObject(generation: number): Promise<unknown> {
  const entry = import.meta.resolve('geos-wasm');
  const url = generation === 0 ? entry : `${entry}?generation=${generation}`;
  const { default: initialise } = (await import(url)) as GeosPackage;
  return (await initialise({ autoInit: false })).Module;
}

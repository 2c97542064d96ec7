/** Where PROJ's database lies; apart from module.ts, so that who only reads the database does not load PROJ. */
import { pathOfUrl } from '@geomill/platform/paths.ts';

/** proj.db of the package, the one that PROJ itself opens: whatever is found there, PROJ knows. */
export function projDatabasePath(): string {
  return pathOfUrl(new URL('./proj.db', import.meta.resolve('proj-wasm')));
}

/** The systems that the user of this browser chose last. */
import { signal } from '@preact/signals';
import { messageOf } from '../service.ts';

export interface NamedCrs {
  /** As requests name it: "EPSG:27700". */
  readonly code: string;
  readonly name: string;
}

/** Key of localStorage. */
const KEPT = 'geomill-recent-crs';
const MAX_RECENT = 6;
const MAX_NAME = 100;

/** Last one first. */
export const recentCrs = signal<readonly NamedCrs[]>(stored());

export function rememberCrs({ code, name }: NamedCrs): void {
  const others = recentCrs.peek().filter((one) => one.code !== code);
  recentCrs.value = [{ code, name }, ...others].slice(0, MAX_RECENT);
  try {
    localStorage.setItem(KEPT, JSON.stringify(recentCrs.peek()));
  } catch (error) {
    // Full or switched off: they are known until the page is closed.
    console.info(`Recent coordinate reference systems are not kept: ${messageOf(error)}`);
  }
}

function stored(): NamedCrs[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEPT) ?? '[]');
    return Array.isArray(found) ? found.filter(isNamed).slice(0, MAX_RECENT) : [];
  } catch {
    // Switched off, or of another version of this page.
    return [];
  }
}

function isNamed(value: unknown): value is NamedCrs {
  const { code, name } = (value ?? {}) as Partial<Record<keyof NamedCrs, unknown>>;
  return (
    typeof code === 'string' &&
    /^EPSG:\d{1,6}$/.test(code) &&
    typeof name === 'string' &&
    name.length <= MAX_NAME
  );
}

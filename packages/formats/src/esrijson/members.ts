/** Members of a feature set, and of the objects around it, other than its features. */
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';

/** Longest member that is looked at: definitions of layers have symbols with pictures. */
export const MAX_MEMBER_BYTES = 64 << 20;

const FLAGS = ['hasZ', 'hasM', 'exceededTransferLimit', 'datesInUnknownTimezone'] as const;
type Flag = (typeof FLAGS)[number];
const PARSED = [
  'fields',
  'spatialReference',
  'geometryType',
  'name',
  'title',
  'paramName',
  'id',
  'error',
  'status',
  'messages',
  'code',
];
/** Names of members that are remembered to say what an object is. */
const MAX_KEYS = 100;

export class Members {
  readonly keys = new Set<string>();
  readonly flags: Partial<Record<Flag, boolean>> = {};
  readonly #values = new Map<string, unknown>();

  /** Reads the member with this key and a value at `at`; returns the offset after the value. `depth`: of the object. */
  take(scanner: JsonScanner, key: string, at: number, depth: number): number {
    const end = scanner.skip(at, depth);
    if (this.keys.size < MAX_KEYS) this.keys.add(key);
    const flag = FLAGS.find((one) => one === key);
    if (flag !== undefined) this.flags[flag] = scanner.text(at, Math.min(end, at + 5)) === 'true';
    else if (PARSED.includes(key) || key === 'layerDefinition') this.#parse(scanner, key, at, end);
    return end;
  }

  #parse(scanner: JsonScanner, key: string, at: number, end: number): void {
    if (end - at > MAX_MEMBER_BYTES)
      throw scanner.fault(at, `'${key}' has more than ${MAX_MEMBER_BYTES >> 20} MiB`, 'structure');
    this.#values.set(key, JSON.parse(scanner.text(at, end)));
  }

  value(key: string): unknown {
    return this.#values.get(key) ?? undefined;
  }

  text(key: string): string | null {
    const value = this.value(key);
    return typeof value === 'string' && value.trim() !== '' ? value : null;
  }

  /** Members that this one lacks, of the object around it or of a layer definition in that. */
  inherit(outer: Members): void {
    const definition = (outer.value('layerDefinition') ?? {}) as Readonly<Record<string, unknown>>;
    const { extent } = definition as { extent?: { spatialReference?: unknown } | null };
    const sources = [
      Object.fromEntries(outer.#values),
      definition,
      { spatialReference: definition.spatialReference ?? extent?.spatialReference },
    ];
    for (const source of sources)
      for (const key of PARSED) {
        const value = (source as Readonly<Record<string, unknown>>)[key];
        if (!this.#values.has(key) && value !== undefined && value !== null) this.#values.set(key, value);
      }
    for (const flag of FLAGS) {
      const value = outer.flags[flag] ?? definition[flag];
      if (this.flags[flag] === undefined && typeof value === 'boolean') this.flags[flag] = value;
    }
  }
}

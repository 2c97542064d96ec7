/** What the library uses of Ajv, with functions that the build has compiled: compiling needs `eval`, which pages may forbid. */

type Validator = ((value: unknown) => boolean) & { readonly errors?: readonly object[] | null };

interface Options {
  readonly useDefaults?: unknown;
}

/** Identifies a schema with a mode of packages/core/src/schemas/schema-check.ts among those of the build, as the name of an export. */
export function schemaKey(mode: string, schema: object): string {
  // Two hashes of 32 bits (FNV-1a with different primes): the build says if two schemas have the same.
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (const character of mode + JSON.stringify(schema)) {
    const code = character.codePointAt(0) ?? 0;
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return `v${(low >>> 0).toString(36)}_${(high >>> 0).toString(36)}`;
}

/** In place of the package `ajv`. */
export function compiledSchemas(validators: Readonly<Record<string, Validator>>): object {
  return {
    Ajv2020: class {
      readonly #mode: string;

      constructor({ useDefaults }: Options) {
        this.#mode = useDefaults === undefined ? 'asGiven' : 'fillDefaults';
      }

      compile(schema: object): Validator {
        const found = validators[schemaKey(this.#mode, schema)];
        if (found === undefined) throw new Error('a schema was not compiled by the build');
        return found;
      }
    },
  };
}

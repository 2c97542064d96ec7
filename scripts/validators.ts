/**
 * Functions that check values against the schemas of options, steps and configs, as the source of modules. A page may be forbidden to
 * compile schemas itself (a content security policy without 'unsafe-eval'), so the build does.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { AJV_OPTIONS, type SchemaMode } from '../packages/core/src/schemas/schema-check.ts';
import { formats } from '../packages/formats/src/registry.ts';
import { transformations } from '../packages/operations/src/registry.ts';
import { schemaKey } from '../packages/platform/src/browser/compiled-schemas.ts';
import { CONFIG_FIELDS } from '../packages/requests/src/config-fields.ts';

/** Names of modules: `#validators` has a map of all functions by their keys, which it has from those of the modes. */
const PREFIX = '#validators';

/** Bundlers differ in what `default` of a CommonJS module is that has one of its own. */
const INTEROPERATION = "const moduleOf = (all) => typeof all.default === 'function' ? all : all.default;\n";

/** All schemas against which the library checks values, by the modes. */
const SCHEMAS: Readonly<Partial<Record<SchemaMode, readonly object[]>>> = {
  asGiven: [
    ...formats.flatMap(({ readOptions, writeOptions }) => [readOptions, writeOptions]),
    // Steps are checked by the schemas of their parameters; that of the list is for documents.
    ...Object.values(CONFIG_FIELDS)
      .map(({ schema }) => schema({ formats }))
      .filter((schema) => !JSON.stringify(schema).includes('"$ref"')),
  ],
  fillDefaults: transformations.map(({ parameters }) => parameters),
};

/** The source of a module; null: it is none of these. */
export function validatorsSource(id: string): string | null {
  const modes = Object.keys(SCHEMAS) as SchemaMode[];
  if (id === PREFIX) {
    const imports = modes.map((mode) => `import * as ${mode} from '${PREFIX}/${mode}';\n`).join('');
    return `${imports}export const validators = { ${modes.map((mode) => `...${mode}`).join(', ')} };\n`;
  }
  const mode = modes.find((one) => id === `${PREFIX}/${one}`);
  return mode === undefined ? null : sourceOf(mode, SCHEMAS[mode] ?? []);
}

/** A module that exports a function for each schema under its key. */
function sourceOf(mode: SchemaMode, schemas: readonly object[]): string {
  const ajv = new Ajv2020({ ...AJV_OPTIONS[mode], code: { source: true, esm: true } });
  const texts = new Map<string, string>();
  for (const schema of schemas) {
    const [key, text] = [schemaKey(mode, schema), JSON.stringify(schema)];
    const other = texts.get(key);
    if (other === undefined) ajv.addSchema(schema, key);
    else if (other !== text) throw new Error(`two schemas have the key ${key}`);
    texts.set(key, text);
  }
  const code = standalone.default(ajv, Object.fromEntries([...texts.keys()].map((key) => [key, key])));
  let imports = '';
  // Ajv also writes calls of require into modules.
  const own = code.replace(/\brequire\("([^"]+)"\)/g, (_, specifier: string) => {
    const name = `required_${specifier.replace(/\W/g, '_')}`;
    const line = `import * as ${name} from '${specifier}.js';\n`;
    if (!imports.includes(line)) imports += line;
    return `moduleOf(${name})`;
  });
  return `${imports}${INTEROPERATION}${own}`;
}

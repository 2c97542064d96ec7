/**
 * Fields that stand in many request bodies with the same words (every config has the options of every writer) become
 * schemas of their own: the document is a fifth of the size, and generated clients have one type for each.
 */
import type { JsonSchema, MediaTypeRecord, RequestBody } from '../operation.ts';
import { pascalCase } from '../schemas/steps.ts';

const MIN_USES = 3;
/** A reference is about as long. */
const MIN_LENGTH = 120;
const SUFFIX = 'Field';

export function isSharedField(schemaName: string): boolean {
  return schemaName.endsWith(SUFFIX);
}

/** Takes the bodies of all operations in their order; names are made from those of the fields, so the order decides them. */
export class SharedFields {
  /** By name. */
  readonly schemas: Record<string, JsonSchema> = {};
  readonly #uses = new Map<string, number>();
  readonly #names = new Map<string, string>();

  constructor(bodies: readonly RequestBody[]) {
    for (const { content } of bodies) for (const { schema } of Object.values(content)) this.#countIn(schema);
  }

  /** The body with references in place of the fields that are shared. */
  lead(body: RequestBody): RequestBody {
    const content = Object.entries(body.content).map(([mediaType, media]): [string, MediaTypeRecord] => [
      mediaType,
      { ...media, schema: this.#rewrite(media.schema) },
    ]);
    return { ...body, content: Object.fromEntries(content) };
  }

  #countIn(schema: JsonSchema): void {
    for (const [, field] of fieldsOf(schema)) {
      const key = JSON.stringify(field);
      this.#uses.set(key, (this.#uses.get(key) ?? 0) + 1);
      this.#countIn(field);
    }
    for (const variant of variantsOf(schema)) this.#countIn(variant);
  }

  #rewrite(schema: JsonSchema): JsonSchema {
    const fields = fieldsOf(schema).map(([name, field]) => [name, this.#share(name, field)]);
    const rewritten = fields.length === 0 ? schema : { ...schema, properties: Object.fromEntries(fields) };
    return variantsOf(schema).length === 0
      ? rewritten
      : { ...rewritten, anyOf: variantsOf(schema).map((variant) => this.#rewrite(variant)) };
  }

  #share(fieldName: string, field: JsonSchema): JsonSchema {
    const key = JSON.stringify(field);
    if (key.length < MIN_LENGTH || (this.#uses.get(key) ?? 0) < MIN_USES) return this.#rewrite(field);
    let name = this.#names.get(key);
    if (name === undefined) {
      name = this.#freeName(pascalCase(fieldName));
      this.#names.set(key, name);
      // Taken before the fields within it look for names.
      this.schemas[name] = field;
      this.schemas[name] = this.#rewrite(field);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The same field can have another description elsewhere: "PrecisionField", "Precision2Field". */
  #freeName(words: string): string {
    for (let number = 1; ; number++) {
      const name = `${words}${number === 1 ? '' : number}${SUFFIX}`;
      if (!(name in this.schemas)) return name;
    }
  }
}

function fieldsOf(schema: JsonSchema): [string, JsonSchema][] {
  return Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>);
}

function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  return (schema.anyOf ?? []) as readonly JsonSchema[];
}

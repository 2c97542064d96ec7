/**
 * Fields that stand in many request bodies with the same words (every config has the options of every writer) become
 * schemas of their own: the document is a fifth of the size, and generated clients have one type for each.
 */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import type { MediaTypeRecord, Operation, RequestBody } from '../operation.ts';
import { pascalCase } from '../schemas/steps.ts';

const MIN_USES = 3;
/** A reference is about as long. */
const MIN_LENGTH = 120;
/** Objects of this length are shared from two uses on: the config of a form is also a JSON body. */
const LARGE_LENGTH = 2000;
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
  #operationId = '';

  constructor(operations: readonly Pick<Operation, 'id' | 'requestBody'>[]) {
    for (const { content } of operations.flatMap(({ requestBody }) => requestBody ?? []))
      for (const [mediaType, { schema }] of Object.entries(content)) {
        if (!isForm(mediaType)) this.#count(schema);
        this.#countIn(schema);
      }
  }

  /** The body with references in place of the fields that are shared. */
  lead(operationId: string, body: RequestBody): RequestBody {
    this.#operationId = operationId;
    const content = Object.entries(body.content).map(([mediaType, media]): [string, MediaTypeRecord] => [
      mediaType,
      // A form stays with its operation, so that its parts are read there.
      {
        ...media,
        schema: isForm(mediaType) ? this.#rewrite(media.schema) : this.#share(BODY, media.schema),
      },
    ]);
    return { ...body, content: Object.fromEntries(content) };
  }

  #countIn(schema: JsonSchema): void {
    for (const [, field] of fieldsOf(schema)) {
      this.#count(field);
      this.#countIn(field);
    }
    for (const variant of variantsOf(schema)) this.#countIn(variant);
  }

  #count(schema: JsonSchema): void {
    const key = JSON.stringify(schema);
    this.#uses.set(key, (this.#uses.get(key) ?? 0) + 1);
  }

  #isShared(key: string): boolean {
    const uses = this.#uses.get(key) ?? 0;
    return key.length >= MIN_LENGTH && uses >= (key.length >= LARGE_LENGTH ? 2 : MIN_USES);
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
    if (!this.#isShared(key)) return this.#rewrite(field);
    let name = this.#names.get(key);
    if (name === undefined) {
      name = isConfig(fieldName) ? this.#configName() : this.#freeName(pascalCase(fieldName));
      this.#names.set(key, name);
      // Taken before the fields within it look for names.
      this.schemas[name] = field;
      this.schemas[name] = this.#rewrite(field);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Of a whole config, after the operation that has it first: a schema of its own, which the page shows once. */
  #configName(): string {
    const words = this.#operationId.replace(/^[a-z]/, (letter) => letter.toUpperCase());
    for (let number = 1; ; number++) {
      const name = `${words}Config${number === 1 ? '' : number}`;
      if (!(name in this.schemas)) return name;
    }
  }

  /** The same field can have another description elsewhere: "PrecisionField", "Precision2Field". */
  #freeName(words: string): string {
    for (let number = 1; ; number++) {
      const name = `${words}${number === 1 ? '' : number}${SUFFIX}`;
      if (!(name in this.schemas)) return name;
    }
  }
}

/** The name under which the root of a JSON body is shared. */
const BODY = 'body';

function isConfig(fieldName: string): boolean {
  return fieldName === 'config' || fieldName === BODY;
}

function isForm(mediaType: string): boolean {
  return mediaType === 'multipart/form-data';
}

function fieldsOf(schema: JsonSchema): [string, JsonSchema][] {
  return Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>);
}

function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  return (schema.anyOf ?? []) as readonly JsonSchema[];
}

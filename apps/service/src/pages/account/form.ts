/** The submitted fields of a form, and their errors. */
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { textOf } from '@geomill/core/messages/message.ts';

export class Form {
  readonly #fields: Readonly<Record<string, unknown>>;
  /** Error sentences by field. */
  readonly faults = new Map<string, string>();

  constructor(body: unknown) {
    this.#fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  }

  /** '' if the field is missing; the first value if it was sent more than once. */
  text(name: string): string {
    const [value] = [this.#value(name)].flat();
    return typeof value === 'string' ? value : '';
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  /** Values of the checked boxes with this name. */
  texts(name: string): string[] {
    return [this.#value(name) ?? []].flat().filter((value) => typeof value === 'string');
  }

  get isValid(): boolean {
    return this.faults.size === 0;
  }

  /** Adds an error of a field; only the first error of a field is kept. */
  refuse(field: string, sentence: string): void {
    if (!this.faults.has(field)) this.faults.set(field, sentence);
  }

  /**
   * Runs a function that may reject a field; returns its result, or undefined if it did. `fields` maps names in errors to
   * names in the form, where they differ.
   */
  async attempt<Result>(
    work: () => Result | Promise<Result>,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GeomillError) || !['ACCOUNT_FIELD', 'CREDENTIAL_FIELD'].includes(error.code))
        throw error;
      const path = textOf(error.params.path);
      this.refuse(fields[path] ?? path, `It ${textOf(error.params.reason)}.`);
      return undefined;
    }
  }

  #value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
  }
}

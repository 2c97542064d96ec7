/** The fields of a form as they came, and what is wrong with them. */
import { GeomillError } from '../errors.ts';

export class Form {
  readonly #fields: Readonly<Record<string, unknown>>;
  /** By field: why its value cannot be taken, as a sentence. */
  readonly faults = new Map<string, string>();

  constructor(body: unknown) {
    this.#fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  }

  /** '' where the field is missing; the first where it came more than once. */
  text(name: string): string {
    const [value] = [this.#value(name)].flat();
    return typeof value === 'string' ? value : '';
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  /** Of checkboxes with the same name: the values of those that are checked. */
  texts(name: string): string[] {
    return [this.#value(name) ?? []].flat().filter((value) => typeof value === 'string');
  }

  get isValid(): boolean {
    return this.faults.size === 0;
  }

  /** Adds what is wrong with a field; the first fault of a field is the one that is told. */
  refuse(field: string, sentence: string): void {
    if (!this.faults.has(field)) this.faults.set(field, sentence);
  }

  /**
   * Runs what may refuse a field and returns what it returns, or undefined where it did. `fields` leads from the names
   * in errors to those in the form, where they differ.
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
      const path = String(error.params.path);
      this.refuse(fields[path] ?? path, `It ${error.params.reason}.`);
      return undefined;
    }
  }

  #value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
  }
}

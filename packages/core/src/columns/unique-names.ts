/** Makes names unique: a name that is taken gets the first free number after it. Linear in the number of names. */
export class UniqueNames {
  readonly #taken: Set<string>;
  readonly #fold: (name: string) => string;
  readonly #firstNumber: number;
  /** The next number to try, by name: lower numbers are taken and stay taken. */
  readonly #next = new Map<string, number>();

  /** Two names are equal if `fold` maps them to the same text. `taken` contains folded names. */
  constructor(
    options: {
      readonly fold?: (name: string) => string;
      readonly firstNumber?: number;
      readonly taken?: Iterable<string>;
    } = {},
  ) {
    this.#fold = options.fold ?? ((name) => name);
    this.#firstNumber = options.firstNumber ?? 1;
    this.#taken = new Set(options.taken);
  }

  /** Returns `wanted`, or `wanted_1`, `wanted_2`, ... if it is taken; the result is taken from now on. */
  take(wanted: string): string {
    const key = this.#fold(wanted);
    let name = wanted;
    if (this.#taken.has(key)) {
      let number = this.#next.get(key) ?? this.#firstNumber;
      do name = `${wanted}_${number++}`;
      while (this.#taken.has(this.#fold(name)));
      this.#next.set(key, number);
    }
    this.#taken.add(this.#fold(name));
    return name;
  }
}

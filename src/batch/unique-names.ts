/** Makes names unique: a name that is taken gets the first free number after it. Linear in the number of names. */
export class UniqueNames {
  readonly #taken: Set<string>;
  readonly #fold: (name: string) => string;
  readonly #firstNumber: number;
  /** The number to try next, by the name that it follows: those below are taken and stay so. */
  readonly #next = new Map<string, number>();

  /** Names are equal when `fold` makes them equal. `taken` has folded names. */
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

  /** `wanted`, or where that is taken `wanted_1`, `wanted_2`, ...; it is taken from now on. */
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

/** The part of the WebAssembly JavaScript interface that the engines use; Node's types leave it to the DOM's. */
declare namespace WebAssembly {
  type Exports = Record<string, unknown>;
  type Imports = Record<string, Record<string, unknown>>;
  interface Module {
    readonly [Symbol.toStringTag]?: string;
  }
  interface Instance {
    readonly exports: Exports;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
    /** Adds pages of 64 KiB; detaches `buffer`. */
    grow(pages: number): number;
  }
  const Memory: new (limits: { initial: number }) => Memory;
  const Module: new (bytes: Uint8Array) => Module;
  const Instance: new (module: Module, imports: Imports) => Instance;
  function validate(bytes: Uint8Array): boolean;
  function compile(bytes: Uint8Array): Promise<Module>;
}

/** What the build gives a name of its own, because the package does not export it. */
declare module '#proj-emscripten' {
  const factory: (module: object) => Promise<unknown>;
  export default factory;
}

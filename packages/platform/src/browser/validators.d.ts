/** What the build writes: see scripts/validators.ts. */
declare module '#validators' {
  export const validators: Parameters<typeof import('./compiled-schemas.ts').compiledSchemas>[0];
}

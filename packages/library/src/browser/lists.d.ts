/** What the build writes: see scripts/bundle-browser.ts. */
declare module '#lists' {
  export const formats: readonly import('../types.ts').FormatFacts[];
  export const steps: readonly import('../types.ts').StepFacts[];
}

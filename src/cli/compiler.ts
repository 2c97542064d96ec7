/** When V8 optimises the code of a command with TurboFan, the slower and better of its two optimising compilers. */

/** Commands that take longer gain from its code. */
const DELAY_MS = 300;

/**
 * From now on TurboFan does not compile for a moment: its threads take a fifth of the CPU time of a conversion that ends before most of
 * their code is used. Without the second option, code that Maglev compiles meanwhile would count no calls, and never be replaced.
 */
export function delayTurboFan(): void {
  // Small commands do without: loading this takes 1 to 2 ms.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--no-turbofan');
  setFlagsFromString('--force-emit-interrupt-budget-checks');
  setTimeout(() => setFlagsFromString('--turbofan'), DELAY_MS).unref();
}

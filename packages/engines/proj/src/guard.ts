/**
 * Converts C++ exceptions that leave PROJ to the results of its C interface: a null result and a message.
 *
 * The module in `proj-wasm` is compiled without catching, so the `catch` clauses inside PROJ's C functions never run
 * and its exceptions arrive here. Memory stays consistent (a constructor that throws writes nothing partially), but
 * the stack pointer stays where the exception left it and must be restored, or a few thousand rejected definitions
 * would use up the stack. The memory of the unwound frames is leaked: some hundred bytes each time.
 */
import type { NativeProj, Pointer } from './native.ts';

/** What Emscripten throws for a C++ exception. */
interface CppException {
  readonly name: string;
  readonly message: string;
  readonly excPtr: Pointer;
}

/** Functions that never throw C++ exceptions. */
const UNGUARDED = new Set(['malloc', 'free']);

/**
 * The same functions, which return 0 where C++ throws and pass the reason to `complain`. Any other error (a trap) is thrown
 * to the caller after a call of `broken`: the module must not be used again.
 */
export function guardExceptions(
  exports: Record<string, unknown>,
  complain: (line: string) => void,
  broken: () => void,
): NativeProj {
  const guarded: Record<string, unknown> = {};
  const stack = exports as unknown as NativeProj;
  for (const [name, original] of Object.entries(exports)) {
    if (typeof original !== 'function' || UNGUARDED.has(name) || !name.startsWith('proj_')) {
      guarded[name] = original;
      continue;
    }
    guarded[name] = (...args: number[]): number => {
      const stackPointer = stack.emscripten_stack_get_current();
      try {
        return original(...args);
      } catch (thrown) {
        if (!isCppException(thrown)) {
          broken();
          throw thrown;
        }
        stack._emscripten_stack_restore(stackPointer);
        stack.__cxa_decrement_exception_refcount(thrown.excPtr);
        complain(thrown.message);
        return 0;
      }
    };
  }
  return guarded as unknown as NativeProj;
}

function isCppException(thrown: unknown): thrown is CppException {
  return thrown instanceof Error && 'excPtr' in thrown;
}

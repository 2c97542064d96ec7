/** What happens when C++ throws in the middle of PROJ, by a module that throws when it is told to. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { transformAll } from '../src/bulk.ts';
import type { ProjContext, ProjObject } from '../src/context.ts';
import { guardExceptions } from '../src/guard.ts';

const STACK = 4096;

class CppException extends Error {
  readonly excPtr = 7;
}

/** A module whose transformation adds 1 to x and throws at the x that `bad` names. */
function fakeContext(
  bad: number,
  thrown: Error,
): { context: ProjContext; told: string[]; isBroken: () => boolean } {
  const doubles = new Float64Array(64);
  const told: string[] = [];
  let stack = STACK;
  let isBroken = false;
  const exports = {
    emscripten_stack_get_current: () => stack,
    _emscripten_stack_restore: (pointer: number) => {
      stack = pointer;
    },
    __cxa_decrement_exception_refcount: () => {},
    proj_trans_generic: (_: number, _direction: number, x: number, bytes: number, count: number) => {
      stack -= 128;
      for (let i = 0; i < count; i++) {
        const at = x / 8 + (i * bytes) / 8;
        if (doubles[at] === bad) throw thrown;
        doubles[at]++;
      }
      stack += 128;
      return count;
    },
  };
  const native = guardExceptions(
    exports,
    (line) => told.push(line),
    () => {
      isBroken = true;
    },
  );
  const context = { native, block: 0, doubles, clearMessages: () => {} } as unknown as ProjContext;
  assert.equal(native.emscripten_stack_get_current(), STACK);
  return { context, told, isBroken: () => isBroken };
}

const transformation = { pointer: 1 } as ProjObject;

test('an exception in the middle of a block costs its position alone', () => {
  const { context, told, isBroken } = fakeContext(30, new CppException('out of memory'));
  const coordinates = Float64Array.of(10, 1, 20, 2, 30, 3, 40, 4);
  assert.deepEqual(transformAll(context, transformation, coordinates, 'XY'), { first: 2, count: 1 });
  assert.deepEqual([...coordinates], [11, 1, 21, 2, 30, 3, 41, 4]);
  assert.ok(told.includes('out of memory'));
  assert.equal(context.native.emscripten_stack_get_current(), STACK);
  assert.equal(isBroken(), false);
});

test('a trap in the middle of a block says that the module must not be used again', () => {
  const { context, isBroken } = fakeContext(30, new Error('unreachable'));
  assert.throws(() => transformAll(context, transformation, Float64Array.of(30, 1), 'XY'), /unreachable/);
  assert.equal(isBroken(), true);
});

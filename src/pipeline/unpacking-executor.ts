/** An executor that keeps the files of a layer unpacked while tasks read them. */
import type { FormatReader } from '../formats/format.ts';
import type { ScratchSpace, UnpackedSet } from '../io/scratch-space.ts';
import type { Executor } from './executor.ts';

/** Returns the executor itself if the reader unpacks nothing. */
export function unpackingExecutor(
  executor: Executor,
  reader: Pick<FormatReader, 'unpackedSet'>,
  scratch: ScratchSpace,
): Executor {
  if (reader.unpackedSet === undefined) return executor;
  let sets: readonly (UnpackedSet | null)[] = [];
  return {
    width: executor.width,
    begin(session) {
      // The target of an append may have another format; nothing is read from it.
      sets = session.layers.map(({ source }) =>
        source.isTarget ? null : (reader.unpackedSet?.(source) ?? null),
      );
      executor.begin(session);
    },
    useEncodings: (encodings) => executor.useEncodings(encodings),
    async run(task) {
      const set = task.input.kind === 'partition' ? sets[task.layerIndex] : null;
      if (set === null) return executor.run(task);
      try {
        await scratch.hold(set);
        return await executor.run(task);
      } finally {
        scratch.release(set);
      }
    },
    call: (call, transfer) => executor.call(call, transfer),
    stop: () => executor.stop(),
  };
}

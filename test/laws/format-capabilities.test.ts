/** What the record of a format says and what its reader can do agree. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { formats } from '../../packages/formats/src/registry.ts';

for (const format of formats) {
  const { id, isExtendable, isReadInParts, isWrittenInParts, fileParts, extensions } = format;

  test(`${id}: an output can be extended if the reader opens it as a target`, async () => {
    const reader = await format.loadReader?.();
    assert.equal(reader?.target !== undefined, isExtendable === true);
  });

  test(`${id}: types that can be wrong were declared`, async () => {
    const reader = await format.loadReader?.();
    if (reader?.undeclare !== undefined) assert.equal(reader.typing, 'declared');
  });

  test(`${id}: what is read or written in parts can be`, async () => {
    const reader = await format.loadReader?.();
    if (isReadInParts) assert.notEqual(reader?.excerpts, undefined);
    if (isWrittenInParts) {
      assert.notEqual(format.loadWriter, null);
      assert.equal(format.outputLayers, 'one');
    }
  });

  test(`${id}: files that together are one input are known by the first of them`, () => {
    if (fileParts !== undefined) assert.ok(extensions.includes(fileParts[0]));
    for (const part of fileParts ?? []) assert.match(part, /^\.[a-z]+$/);
  });
}

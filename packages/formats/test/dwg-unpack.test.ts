/** Compressed pages of drawings: damaged ones end soon. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { unpack } from '../src/dxf/dwg/unpack.ts';

test('unpacks literals, near and far repetitions', () => {
  const target = new Uint8Array(13);
  // Four literals, 5 bytes from 4 back with 2 literals, the end.
  unpack(Uint8Array.of(0x01, 65, 66, 67, 68, 0x23, 0x0e, 0, 120, 121, 0x11), 0, target.subarray(0, 11));
  assert.equal(Buffer.from(target).toString('latin1').replaceAll('\0', ''), 'ABCDABCDAxy');
});

test('whatever a page holds, it fills its output or is refused, in as many steps as its output has bytes', () => {
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 16;
  };
  let refused = 0;
  for (let i = 0; i < 3000; i++) {
    const zeros = random() % 3 === 0;
    const source = Uint8Array.from({ length: random() % 2000 }, () =>
      zeros && random() % 4 > 0 ? 0 : random() & 0xff,
    );
    const target = new Uint8Array(random() % 5000);
    try {
      unpack(source, 0, target);
    } catch (error) {
      assert.ok(error instanceof RangeError);
      refused++;
    }
  }
  assert.ok(refused > 100, String(refused));
});

import fc from 'fast-check';

/** Any code point but surrogates. The unit 'binary' of fast-check makes the same, after a second to build a table of all of them. */
const codePoint = fc
  .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0x10_ffff - 0x800 }))
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));

/** Texts of any code points, and texts that are often mishandled, such as '__proto__'. */
export function anyText(maxLength?: number): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ unit: codePoint, maxLength }), fc.string({ maxLength }));
}

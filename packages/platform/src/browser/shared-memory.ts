/** Shared memory where the page is not isolated, which has no SharedArrayBuffer: a buffer that threads get copies of. */
export function provideSharedMemory(): void {
  if (typeof SharedArrayBuffer !== 'undefined') return;
  class UnsharedBuffer extends ArrayBuffer {
    grow(byteLength: number): void {
      this.resize(byteLength);
    }
  }
  Object.assign(globalThis, { SharedArrayBuffer: UnsharedBuffer });
}

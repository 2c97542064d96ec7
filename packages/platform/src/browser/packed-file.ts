/** Large files of the program, which the build packs by gzip: many servers of static files send them as they are. */

/** The unpacked bytes. Rejects if the file cannot be fetched. */
export async function packedFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} could not be loaded: HTTP ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  // Some servers state the compression, and then the browser has unpacked the file.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}

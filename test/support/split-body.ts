/** A JSON body through the splitter, its pieces put together again as their consumer does. */
import assert from 'node:assert/strict';
import type {
  JsonBody,
  JsonBodyLimits,
  JsonBodyMembers,
} from '../../apps/service/src/http/json-body/body-parts.ts';
import { configLimits } from '../../apps/service/src/http/json-body/config-limits.ts';
import { JsonBodySplitter } from '../../apps/service/src/http/json-body/split.ts';

export const BODY_MEMBERS: JsonBodyMembers = {
  documents: ['input_geojson', 'target_geojson'],
  documentLists: ['append_geojson_list', 'input_geojson_list'],
  fileParameters: new Set(['clipping_geojson']),
};

const ROOMY: JsonBodyLimits = {
  config: configLimits({ maxConfigBytes: 1_000_000, maxFiles: 1000 }),
  maxDocuments: 1000,
  maxDocumentsSetting: 'a fixed limit',
};

export interface SplitBody extends JsonBody {
  /** Text of each document by its path, in the order they came. */
  readonly documents: ReadonlyMap<string, string>;
}

/** `chunkLengths`: of one chunk after the other, from the start again when they are used up. */
export function splitBody(
  body: Uint8Array,
  chunkLengths: number | readonly number[],
  limits: Partial<JsonBodyLimits> = {},
): SplitBody {
  const lengths = typeof chunkLengths === 'number' ? [chunkLengths] : chunkLengths;
  const splitter = new JsonBodySplitter(BODY_MEMBERS, { ...ROOMY, ...limits });
  const documents = new Map<string, string>();
  let path: string | null = null;
  let parts: Buffer[] = [];
  for (let at = 0, turn = 0; at < body.length; turn++) {
    const length = lengths[turn % lengths.length];
    // A copy that is wiped afterwards: whatever the splitter still needs of a chunk, it must have taken.
    const chunk = new Uint8Array(body.subarray(at, at + length));
    at += length;
    for (const piece of splitter.push(chunk)) {
      if (piece.kind === 'begin') {
        assert.equal(path, null);
        assert.equal(piece.path, piece.index === null ? piece.member : `${piece.member}[${piece.index}]`);
        assert.ok(!documents.has(piece.path));
        path = piece.path;
        parts = [];
      } else {
        assert.ok(path !== null);
        if (piece.kind === 'bytes') {
          assert.equal(piece.bytes.buffer, chunk.buffer, 'a view, not a copy');
          assert.ok(piece.bytes.length > 0);
          parts.push(Buffer.from(piece.bytes));
        } else {
          documents.set(path, Buffer.concat(parts).toString());
          path = null;
        }
      }
    }
    chunk.fill(0x7e);
  }
  const { config, documentCounts } = splitter.finish();
  assert.equal(path, null);
  return { config, documentCounts, documents };
}

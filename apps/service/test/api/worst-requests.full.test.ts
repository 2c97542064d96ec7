/** The worst requests that were found: each is refused by a limit that it names, or small enough to be taken. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestService } from '../../../../test/support/service.ts';
import { send, WORST_REQUESTS } from '../../../../test/support/worst-requests.ts';

const service = await startTestService({ settings: { MAX_UPLOAD: '100 MiB' } });
test.after(() => service[Symbol.asyncDispose]());

const MAX_ANSWER = 16 * 1024;

for (const request of WORST_REQUESTS)
  test(request.name, async () => {
    const { status, code, byteLength } = await send(service.url, request);
    assert.deepEqual([status, code], [request.status, request.code]);
    if (status >= 400) assert.ok(byteLength <= MAX_ANSWER, `the answer has ${byteLength} bytes`);
  });

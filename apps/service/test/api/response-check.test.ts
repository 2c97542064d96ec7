/** The check that all tests of the API rely on does refuse what is not documented. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { checkResponse } from '../../../../test/support/response-check.ts';

const HOST = 'http://127.0.0.1:1';
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const PROBLEM_TYPE = { 'content-type': 'application/problem+json' };

function answer(status: number, body: unknown, headers: Record<string, string> = JSON_TYPE): Response {
  return new Response(body === null ? null : JSON.stringify(body), { status, headers });
}

const problem = {
  type: 'urn:geomill:error:job-unknown',
  title: 'Job unknown',
  status: 404,
  detail: "there is no job 'x'",
};
const queued = { job_id: 'x', status: 'QUEUED' };

test('what the document has is let through, and the body is left to be read', async () => {
  const response = answer(200, queued);
  await checkResponse('GET', `${HOST}/result/status/x`, response);
  assert.deepEqual(await response.json(), queued);
  await checkResponse('GET', `${HOST}/result/status/x`, answer(404, problem, PROBLEM_TYPE));
  await checkResponse('HEAD', `${HOST}/result/status/x`, answer(200, null));
  await checkResponse('GET', `${HOST}/v2/anything`, answer(404, problem, PROBLEM_TYPE));
  await checkResponse('PUT', `${HOST}/transform`, answer(405, problem, { ...PROBLEM_TYPE, allow: 'POST' }));
});

const wrong: [string, method: string, path: string, Response, RegExp][] = [
  ['a status', 'GET', '/result/status/x', answer(418, queued), /answered 418, which getStatus does not/],
  [
    'a media type',
    'GET',
    '/healthz',
    answer(200, { status: 'ok' }, { 'content-type': 'text/plain' }),
    /as text\/plain/,
  ],
  ['a member', 'GET', '/result/status/x', answer(200, { ...queued, progress: 1 }), /additional properties/],
  ['a member that lacks', 'GET', '/result/status/x', answer(200, { job_id: 'x' }), /required property/],
  [
    'a member of another state',
    'GET',
    '/result/status/x',
    answer(200, { ...queued, output_url: `${HOST}/result/output/x` }),
    /additional properties/,
  ],
  [
    'a header',
    'GET',
    '/healthz',
    answer(200, { status: 'ok' }, { ...JSON_TYPE, etag: '"x"' }),
    /header etag/,
  ],
  ['a header that lacks', 'POST', '/transform', answer(202, queued), /without the header Location/],
  [
    'a header that says something else',
    'POST',
    '/transform',
    answer(202, queued, { ...JSON_TYPE, location: 'x' }),
    /Location/,
  ],
  [
    'an error that is no problem',
    'GET',
    '/result/status/x',
    answer(404, { error: 'no' }),
    /as application\/json/,
  ],
  [
    'a problem without a detail',
    'GET',
    '/v1/jobs/x',
    answer(404, { ...problem, detail: undefined }, PROBLEM_TYPE),
    /detail/,
  ],
  ['a path', 'GET', '/v1/secrets', answer(200, {}), /no such operation/],
  ['a method', 'POST', '/healthz', answer(200, { status: 'ok' }), /no such operation/],
];

for (const [name, method, path, response, message] of wrong)
  test(`refused, as it is not documented: ${name}`, async () => {
    await assert.rejects(checkResponse(method, HOST + path, response), { name: 'AssertionError', message });
  });

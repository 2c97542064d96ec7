/** What every refusal has to be. */
import assert from 'node:assert/strict';

/** A problem document of this status whose detail says so. */
export async function expectProblem(response: Response, status: number, detail: RegExp): Promise<void> {
  const problem = (await response.json()) as Record<string, unknown>;
  assert.equal(response.status, status, JSON.stringify(problem));
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  assert.match(String(problem.detail), detail);
}

/** Answers that many operations have in common become responses of their own, as the fields of bodies do. */
import type { ResponseRecord } from '../operation.ts';
import type { OperationObject, PathObjects } from './types.ts';

const MIN_USES = 3;
/** A reference is about as long. */
const MIN_LENGTH = 200;

export interface SharedResponses {
  readonly paths: PathObjects;
  /** By name: the operation that answers so first, and the status. */
  readonly responses: Readonly<Record<string, ResponseRecord>>;
}

export function shareResponses(paths: PathObjects): SharedResponses {
  const uses = new Map<string, number>();
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods)))
    for (const response of Object.values(responses)) {
      const key = JSON.stringify(response);
      uses.set(key, (uses.get(key) ?? 0) + 1);
    }
  const names = new Map<string, string>();
  const shared: Record<string, ResponseRecord> = {};
  const share = ({ operationId }: OperationObject, status: string, response: object): object => {
    const key = JSON.stringify(response);
    if (key.length < MIN_LENGTH || (uses.get(key) ?? 0) < MIN_USES) return response;
    const name = names.get(key) ?? operationId[0].toUpperCase() + operationId.slice(1) + status;
    names.set(key, name);
    shared[name] = response as ResponseRecord;
    return { $ref: `#/components/responses/${name}` };
  };
  const lead = (operation: OperationObject): OperationObject => ({
    ...operation,
    responses: mapValues(operation.responses, (response, status) => share(operation, status, response)),
  });
  return { paths: mapValues(paths, (methods) => mapValues(methods, lead)), responses: shared };
}

function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

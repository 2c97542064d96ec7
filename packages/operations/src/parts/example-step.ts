/** An example step of each transformation, as in a request: for the catalogue and the docs. */
import type { StepParameters, Transformation } from '../transformation.ts';

/** A mask within the harbour of samples/. */
const POLYGON = {
  type: 'Polygon',
  coordinates: [
    [
      [8.56, 53.54],
      [8.58, 53.54],
      [8.58, 53.55],
      [8.56, 53.54],
    ],
  ],
} as const;

interface PropertySchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
}

/** With the required parameters, and those with an example in the schema. */
export function exampleStep({ id, parameters, fileParameter }: Transformation): {
  readonly type: string;
  readonly params?: StepParameters;
} {
  const params: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(parameters.properties)) {
    const { examples, enum: choices, type } = schema as PropertySchema;
    // The example has the value of the file parameter, so it cannot describe a file.
    if (fileParameter?.value === null && name === `${fileParameter.part}_upload`) params[name] = 'UPLOAD_ID';
    if (fileParameter !== undefined && name.startsWith(`${fileParameter.part}_`)) continue;
    if (examples !== undefined) params[name] = examples[0];
    else if (fileParameter?.value?.name === name) params[name] = POLYGON;
    else if (parameters.required?.includes(name))
      params[name] = choices?.[0] ?? (type === 'number' || type === 'integer' ? 100 : '');
  }
  return Object.keys(params).length === 0 ? { type: id } : { type: id, params };
}

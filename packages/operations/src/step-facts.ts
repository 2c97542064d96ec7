/** The facts of a step for clients, as GET /v1/transformations and the library list them. */
import type { Transformation } from './transformation.ts';

export function stepFacts(transformation: Transformation) {
  const {
    id,
    title,
    group,
    summary,
    description,
    parameters,
    guarantees,
    fileParameter: file,
  } = transformation;
  const needs = neededParameters(transformation);
  return {
    id,
    title,
    group,
    summary,
    description,
    parameters: { ...parameters },
    needs,
    main_parameters: [...new Set([...needs.flat(), ...(transformation.mainParameters ?? [])])],
    file_parameter:
      file === undefined ? null : { name: file.value?.name ?? null, part: file.part, uses: file.uses },
    guarantees: [...guarantees],
  };
}

/** Of each list a step needs one parameter. */
function neededParameters({ parameters, needsOneOf, fileParameter: file }: Transformation): string[][] {
  return [
    ...(file === undefined ? [] : [[...(file.value === null ? [] : [file.value.name]), file.part]]),
    ...(parameters.required ?? []).map((name) => [name]),
    ...(needsOneOf === undefined ? [] : [[...needsOneOf]]),
  ];
}

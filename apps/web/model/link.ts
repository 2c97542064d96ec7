/** Links with a document, such as `/#pipeline=eyJ…`. In the fragment, so that it is in no log of a server. Pure. */
import {
  convertedInputs,
  inputConfig,
  type Options,
  stepParameters,
  type WorkspaceDocument,
} from './document.ts';

/** Characters of the value; browsers and mail programs handle links of this length. */
export const MAX_LINK_LENGTH = 8000;

/** The whole document as a job document: all inputs in one, and also steps that are switched off. */
export function portableDocument(document: WorkspaceDocument): Options {
  const { operation, steps, output } = document;
  return {
    ...(operation === 'transform' ? {} : { operation }),
    inputs: convertedInputs(document).map((input) => ({
      ...(input.url === undefined ? { path: input.path } : {}),
      ...inputConfig(input),
    })),
    ...(steps.length === 0
      ? {}
      : { steps: steps.map((step) => ({ type: step.type, params: stepParameters(document, step) })) }),
    outputs: [
      {
        format: output.format,
        epsg: output.crs,
        ...output.options,
        ...(output.name === null ? {} : { path: output.name }),
      },
    ],
  };
}

/** Value of `pipeline`, without the steps that are switched off; null: too long for a link. */
export function encodePipeline(document: WorkspaceDocument): string | null {
  const steps = document.steps.filter(({ enabled }) => enabled);
  const text = JSON.stringify(portableDocument({ ...document, steps }));
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_LINK_LENGTH) return null;
  const value = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
  return value.length > MAX_LINK_LENGTH ? null : value;
}

/** The value of `pipeline` in the fragment, else in the query; null: none. */
export function pipelineOf(address: { readonly hash: string; readonly search: string }): string | null {
  for (const part of [address.hash, address.search])
    for (const pair of part.slice(1).split('&'))
      if (pair.startsWith('pipeline=')) return pair.slice('pipeline='.length);
  return null;
}

/** JSON text from base64url or from percent-encoded JSON. Throws an Error with a sentence. */
export function decodePipeline(value: string): string {
  // An address that was typed may be longer than those that the page writes.
  if (value.length > 16 * MAX_LINK_LENGTH)
    throw new Error(`The pipeline in the address is longer than ${16 * MAX_LINK_LENGTH} characters.`);
  try {
    const plain = decodeURIComponent(value);
    if (plain.trimStart().startsWith('{')) return plain;
    const bytes = Uint8Array.from(atob(plain.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    );
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(
      'The pipeline in the address is damaged: it is neither JSON nor base64url. Was the link cut off?',
    );
  }
}

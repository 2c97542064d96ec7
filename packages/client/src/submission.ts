/** Requests that take a job: what is sent. */
import { type FileInput, type FilePart, filePartOf, isFileInput, type NamedFile } from './file-input.ts';
import { formBody } from './form-body.ts';
import type { Feature, FeatureCollection, Geometry } from './openapi-types.ts';
import { randomHex } from './random-hex.ts';
import type { OutgoingBody, Transport } from './transport.ts';
import { UploadedFile } from './upload.ts';

export interface SubmitOptions {
  /**
   * A request that comes again with the same key gets the same job. Default: a new key for each call, so that the client
   * can send it again when an answer was lost; null: none, which spares the service a checksum of the files.
   */
  readonly idempotencyKey?: string | null;
  readonly signal?: AbortSignal;
}

/** GeoJSON as an object, instead of a file of it. */
export type GeojsonObject = FeatureCollection | Feature | Geometry;

/** Inputs under the names that a form and a JSON body have for them. */
export interface NamedInputs {
  readonly single: FileInput | GeojsonObject | UploadedFile | null;
  readonly list: readonly (FileInput | GeojsonObject | UploadedFile)[];
  /** Files for steps, by the names of their parts. */
  readonly masks: Readonly<Record<string, FileInput>>;
  readonly fields: { readonly single: string; readonly list: string };
  /** Null: the path takes forms alone. */
  readonly members: { readonly single: string; readonly list: string } | null;
  /** Members of the config that name uploads. */
  readonly uploads: { readonly single: string; readonly list: string };
}

interface Submission {
  readonly path: string;
  readonly config: object;
  readonly inputs: NamedInputs;
}

export async function sendSubmission(
  transport: Transport,
  { path, config, inputs }: Submission,
  { idempotencyKey, signal }: SubmitOptions,
): Promise<Response> {
  const { make, isRepeatable } = bodyOf(config, inputs);
  // A body that cannot be sent again needs no name to be known by.
  const key = idempotencyKey === undefined ? (isRepeatable ? randomHex() : null) : idempotencyKey;
  return transport.send({
    method: 'POST',
    path,
    headers: key === null ? {} : { 'idempotency-key': key },
    body: make,
    isRepeatable: isRepeatable && key !== null,
    hasRepeatableBody: isRepeatable,
    ...(signal === undefined ? {} : { signal }),
  });
}

function bodyOf(
  givenConfig: object,
  { single: givenSingle, list: givenList, masks, fields, members, uploads }: NamedInputs,
): { make: () => OutgoingBody; isRepeatable: boolean } {
  const firstUpload = givenList.findIndex(isUploaded);
  const list = givenList.filter((input): input is FileInput | GeojsonObject => !isUploaded(input));
  const uploaded = givenList.filter(isUploaded);
  // The service takes uploads after the files of the form.
  if (uploaded.length > 0 && firstUpload < list.length)
    throw new TypeError('uploads must come after the other files of a list');
  const single = isUploaded(givenSingle) ? null : givenSingle;
  const config = {
    ...givenConfig,
    ...(isUploaded(givenSingle) ? { [uploads.single]: givenSingle.id } : {}),
    ...(uploaded.length === 0 ? {} : { [uploads.list]: uploaded.map(({ id }) => id) }),
  };
  const all = single === null ? list : [single, ...list];
  const maskParts = Object.entries(masks).map(([part, input]) => filePartOf(part, input));
  if (members !== null && all.length > 0 && maskParts.length === 0 && !all.some(isFileInput)) {
    const documents = {
      ...(single === null ? {} : { [members.single]: single }),
      ...(list.length === 0 ? {} : { [members.list]: list }),
    };
    const content = JSON.stringify({ ...config, ...documents });
    return { make: () => ({ content, mediaType: 'application/json' }), isRepeatable: true };
  }
  const parts: FilePart[] = [
    ...(single === null ? [] : [filePartOf(fields.single, asFile(single))]),
    ...list.map((input) => filePartOf(fields.list, asFile(input))),
    ...maskParts,
  ];
  return { make: formBody(config, parts), isRepeatable: parts.every((part) => part.isRepeatable) };
}

function isUploaded(input: unknown): input is UploadedFile {
  return input instanceof UploadedFile;
}

/** Among files an object goes as a file, too. */
function asFile(input: FileInput | GeojsonObject): FileInput {
  if (isFileInput(input)) return input;
  return { name: 'input.geojson', data: JSON.stringify(input) } satisfies NamedFile;
}

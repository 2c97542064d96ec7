/** Addresses of the documentation, which has a page for the operations and one for each schema. */

/** Placeholder for the address of the service, replaced when a page is sent; no text contains it. */
export const BASE_URL_MARK = '\ue000';

export const schemaHref = (name: string): string => `${BASE_URL_MARK}/docs/schemas/${name}`;

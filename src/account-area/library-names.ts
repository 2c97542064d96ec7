/** Names that both the pages and the library need: apart, so that a page does not load the library for them. */

/** The address of the client, which we alone put there: what a client sends in it never gets that far. */
export const ADDRESS_HEADER = 'x-geomill-address';
/** Below the base URL; of the callback that is registered with an identity provider. */
export const LIBRARY_PATH = '/account/auth';
export const OIDC_PROVIDER = 'oidc';

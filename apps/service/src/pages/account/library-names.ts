/** Names shared by the pages and the library, in a separate file so that pages need not load the library. */

/** Header with the client's address, set by this service; values sent by clients are removed. */
export const ADDRESS_HEADER = 'x-geomill-address';
/** Path of the callback that is registered with an identity provider, below the base URL. */
export const LIBRARY_PATH = '/account/auth';
export const OIDC_PROVIDER = 'oidc';

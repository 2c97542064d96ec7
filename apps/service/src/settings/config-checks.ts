/** Checks of settings against each other; each throws SETTING_INVALID. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { SIZES } from './setting-values.ts';

const LEAST_TOKEN_LENGTH = 16;
/** S3 has at most 10,000 parts of an object, which are of 16 MiB here. */
const MAX_S3_INPUT = 10_000 * 16 * SIZES.MiB;

/** By the keys of `settings`. */
type Values = Readonly<Record<string, string | number | null>>;

/** For values that are valid by themselves. */
export function checkTogether(config: Values): void {
  checkOidc(config);
  checkTiles(config);
  checkMetrics(config);
  checkStore(config);
}

/** A setting may need another one that is unset. */
function checkOidc(config: Values): void {
  const { oidcIssuer, oidcAudience, oidcClientId, oidcClientSecret, baseUrl } = config;
  const refuse = (name: string, reason: string): Error =>
    failure(generalErrors.SETTING_INVALID, { name, value: '', reason });
  const signsIn = oidcClientId !== null || oidcClientSecret !== null;
  if (oidcIssuer !== null && oidcAudience === null && !signsIn)
    throw refuse(
      'OIDC_AUDIENCE',
      'it is required with OIDC_ISSUER; otherwise tokens for other services would be accepted',
    );
  if (!signsIn) return;
  if (oidcClientId === null) throw refuse('OIDC_CLIENT_ID', 'it is required with OIDC_CLIENT_SECRET');
  if (oidcClientSecret === null) throw refuse('OIDC_CLIENT_SECRET', 'it is required with OIDC_CLIENT_ID');
  if (oidcIssuer === null) throw refuse('OIDC_ISSUER', 'it is required with OIDC_CLIENT_ID');
  // The issuer redirects users to one registered address.
  if (baseUrl === null) throw refuse('BASE_URL', 'it is required with OIDC_CLIENT_ID');
}

/** Browsers must show the tiles. */
function checkTiles({ mapTilesUrl: url, mapTilesAttribution: attribution, baseUrl }: Values): void {
  if (url === null && attribution !== null)
    throw failure(generalErrors.SETTING_INVALID, {
      name: 'MAP_TILES_URL',
      value: '',
      reason: 'it is required with MAP_TILES_ATTRIBUTION',
    });
  if (url === null || !String(url).startsWith('http:') || !String(baseUrl).startsWith('https:')) return;
  const reason = 'browsers load no http tiles into a page at an https BASE_URL; give an https address';
  throw failure(generalErrors.SETTING_INVALID, { name: 'MAP_TILES_URL', value: url, reason });
}

/** A token must not be one that can be guessed. */
function checkMetrics({ metricsToken }: Values): void {
  if (metricsToken === null || String(metricsToken).length >= LEAST_TOKEN_LENGTH) return;
  const reason = `it needs at least ${LEAST_TOKEN_LENGTH} characters; openssl rand -hex 32 makes a good one`;
  throw failure(generalErrors.SETTING_INVALID, { name: 'METRICS_TOKEN', value: '...', reason });
}

/** The store may need a setting that is unset, or have a limit that another one exceeds. */
function checkStore({
  storeUrl,
  s3AccessKeyId,
  s3SecretAccessKey,
  s3Region,
  storeRedirect,
  maxUploadBytes,
}: Values): void {
  const refuse = (name: string, value: string | number, reason: string): Error =>
    failure(generalErrors.SETTING_INVALID, { name, value, reason });
  const isS3 = String(storeUrl).startsWith('s3:');
  if (storeRedirect === 'true' && !isS3)
    throw refuse('STORE_REDIRECT', 'true', 'it needs an S3 server: set STORE_URL to s3://bucket/prefix');
  if (!isS3) return;
  // Values of credentials are never repeated.
  if (s3AccessKeyId === null) throw refuse('AWS_ACCESS_KEY_ID', '', 'it is required with s3:// in STORE_URL');
  if (s3SecretAccessKey === null)
    throw refuse('AWS_SECRET_ACCESS_KEY', '', 'it is required with s3:// in STORE_URL');
  if (!/^[a-z0-9-]{1,40}$/.test(String(s3Region)))
    throw refuse('S3_REGION', String(s3Region), 'give a region like eu-central-1');
  if (Number(maxUploadBytes) > MAX_S3_INPUT)
    throw refuse('MAX_UPLOAD', Number(maxUploadBytes), `the most with s3:// in STORE_URL is ${MAX_S3_INPUT}`);
}

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import test from 'node:test';
import { readConfig, settings } from '../src/settings/config.ts';

test('without any variable every setting has its default', () => {
  const config = readConfig({});
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 8080);
  assert.equal(config.dataDirectory, resolve('data'));
  assert.ok(config.runners >= 1 && config.runnerThreads >= 1 && config.runnerMemoryBytes >= 128 * 1024 ** 2);
  assert.equal(config.baseUrl, null);
  assert.equal(config.maxUploadBytes, 5 * 1024 ** 3);
});

test('an empty variable counts as unset', () => {
  assert.equal(readConfig({ PORT: ' ' }).port, 8080);
});

test('sizes and times take units', () => {
  const config = readConfig({
    MAX_UPLOAD: '1.5 GiB',
    JOB_TIMEOUT: '90m',
    OUTPUT_RETENTION: '2d',
    MAX_QUEUE: '1_000',
  });
  assert.equal(config.maxUploadBytes, 1.5 * 1024 ** 3);
  assert.equal(config.jobTimeoutSeconds, 5400);
  assert.equal(config.outputRetentionSeconds, 172_800);
  assert.equal(config.maxQueueLength, 1000);
});

test('origins are taken as browsers send them', () => {
  const origins = (text: string) => readConfig({ CORS_ORIGINS: text }).corsOrigins;
  assert.equal(readConfig({}).corsOrigins, null);
  assert.equal(origins('*'), '*');
  assert.equal(
    origins('https://maps.example.org/ , http://localhost:5173'),
    'https://maps.example.org,http://localhost:5173',
  );
  assert.throws(() => origins('*,https://a.org'), { code: 'SETTING_INVALID' });
});

test('a value that cannot be used is an error that names the setting, never the default', () => {
  const rows: Record<string, string>[] = [
    { PORT: 'http' },
    { PORT: '65536' },
    { PORT: '-1' },
    { CORS_ORIGINS: 'maps.example.org' },
    { CORS_ORIGINS: 'https://Maps.example.org' },
    { CORS_ORIGINS: 'https://maps.example.org/map' },
    { CORS_ORIGINS: 'https://maps.example.org:443' },
    { CORS_ORIGINS: 'https://a.org,' },
    { PORT: '80.5' },
    { MAX_UPLOAD: '5 GB!' },
    { MAX_UPLOAD: '0' },
    { JOB_TIMEOUT: '1 fortnight' },
    { LOG_LEVEL: 'loud' },
    { BASE_URL: 'mill.example.org' },
    { RUNNERS: '0' },
    { MAX_QUEUE: '10 MiB' },
  ];
  for (const row of rows) {
    const [[name, value]] = Object.entries(row);
    assert.throws(() => readConfig(row), {
      code: 'SETTING_INVALID',
      message: new RegExp(`${name}='${value}'`),
    });
  }
});

test('map tiles need z, x and y, one fixed host, and https under an https page', () => {
  const tiles = 'https://tiles.example.org:8443/topo/{z}/{x}/{y}.png?key=a,b;c';
  const attribution = { MAP_TILES_ATTRIBUTION: '© Example' };
  assert.equal(readConfig({ MAP_TILES_URL: tiles, ...attribution }).mapTilesUrl, tiles);
  assert.equal(readConfig({}).mapTilesUrl, null);
  for (const MAP_TILES_URL of [
    'tiles.example.org/{z}/{x}/{y}.png',
    'ftp://tiles.example.org/{z}/{x}/{y}.png',
    'https://tiles.example.org/{z}/{x}.png',
    'https://tiles.example.org/{z}/{x}/{y}/{y}.png',
    'https://{s}.example.org/{z}/{x}/{y}.png',
    'https://t{x}.example.org/{z}/{y}.png',
    'https://{x}/{z}/{y}.png',
    'https://ada:secret@tiles.example.org/{z}/{x}/{y}.png',
    'https://tiles.example.org/#{z}/{x}/{y}',
    "https://tiles.example.org/{z}/{x}/{y}' 'unsafe-inline",
  ])
    assert.throws(() => readConfig({ MAP_TILES_URL }), { code: 'SETTING_INVALID' }, MAP_TILES_URL);
  const http = { MAP_TILES_URL: 'http://tiles.example.org/{z}/{x}/{y}.png' };
  assert.ok(readConfig({ ...http, BASE_URL: 'http://mill.example.org' }));
  assert.throws(() => readConfig({ ...http, BASE_URL: 'https://mill.example.org' }), /MAP_TILES_URL.*https/);
  assert.throws(() => readConfig(attribution), /MAP_TILES_URL.*required with MAP_TILES_ATTRIBUTION/);
});

test('every setting has a variable of its own and a text', () => {
  const all = Object.values(settings);
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
  for (const { name, text } of all) {
    assert.match(name, /^[A-Z][A-Z0-9_]+$/);
    assert.match(text, /\.$/);
  }
});

test('credentials are required where the service listens beyond this machine', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost', '::ffff:127.0.0.1'])
    assert.equal(readConfig({ HOST: host }).auth, 'open', host);
  for (const host of [
    '0.0.0.0',
    '::',
    '192.0.2.1',
    'mill.example.org',
    '127.example.org',
    'localhost.example.org',
  ])
    assert.equal(readConfig({ HOST: host }).auth, 'required', host);
});

test('the job API asks for credentials as the rest does, unless it is said otherwise', () => {
  assert.equal(readConfig({ AUTH: 'required' }).authJobSurface, 'required');
  assert.equal(readConfig({ HOST: '0.0.0.0' }).authJobSurface, 'required');
  assert.equal(readConfig({ AUTH: 'required', AUTH_JOB_SURFACE: 'open' }).authJobSurface, 'open');
  assert.equal(readConfig({ AUTH_JOB_SURFACE: 'required' }).auth, 'open');
});

test('accounts have limits where there are accounts, or where it is said', () => {
  const limitsOf = (environment: Record<string, string>): readonly number[] => {
    const { maxOwnerJobs, maxOwnerStorageBytes, rateLimit, rateBurst } = readConfig(environment);
    return [maxOwnerJobs, maxOwnerStorageBytes, rateLimit, rateBurst];
  };
  const usual = [1000, 50 * 1024 ** 3, 20, 100];
  assert.deepEqual(limitsOf({}), [0, 0, 0, 100]);
  assert.deepEqual(limitsOf({ AUTH: 'required' }), usual);
  assert.deepEqual(limitsOf({ AUTH_JOB_SURFACE: 'required' }), usual);
  assert.deepEqual(limitsOf({ RATE_LIMIT: '5', MAX_OWNER_STORAGE: '1 GiB' }), [0, 1024 ** 3, 5, 100]);
  assert.deepEqual(limitsOf({ AUTH: 'required', RATE_LIMIT: '0', MAX_OWNER_JOBS: '0' }), [
    0,
    usual[1],
    0,
    100,
  ]);
});

test('an issuer is kept as it is written, and needs the audience of its tokens', () => {
  const issuer = 'https://login.example.org/realm/';
  assert.equal(readConfig({ OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'mill' }).oidcIssuer, issuer);
  assert.throws(() => readConfig({ OIDC_ISSUER: issuer }), { code: 'SETTING_INVALID' });
  const signIn = {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'web',
    OIDC_CLIENT_SECRET: 's',
    BASE_URL: 'https://mill.example.org',
  };
  assert.equal(readConfig(signIn).oidcClientId, 'web');
  for (const name of Object.keys(signIn))
    assert.throws(() => readConfig({ ...signIn, [name]: '' }), { code: 'SETTING_INVALID' }, name);
});

test('a store is a bucket with a prefix or a directory, and S3 needs its credentials', () => {
  const s3 = {
    STORE_URL: 's3://geo-data/mill/1/',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'hidden',
  };
  assert.equal(readConfig(s3).storeUrl, 's3://geo-data/mill/1');
  assert.equal(readConfig({ ...s3, STORE_URL: 's3://geo.data' }).storeUrl, 's3://geo.data');
  assert.equal(readConfig({ STORE_URL: 'file:///mnt/a%20b/' }).storeUrl, 'file:///mnt/a%20b');
  assert.equal(readConfig({}).storeUrl, null);
  const wrong: Record<string, string>[] = [
    ...[
      's3://',
      's3://Bucket',
      's3://b',
      's3://geo-data/a b',
      's3://geo-data/../x',
      's3://geo-data/a?b',
      's3://u:p@geo-data',
    ],
    ...['file://mnt', 'file:mnt', 'https://geo-data', '/mnt/shared', 'file:///a#b'],
  ].map((STORE_URL) => ({ STORE_URL }));
  wrong.push(
    { AWS_SECRET_ACCESS_KEY: '' },
    { AWS_ACCESS_KEY_ID: '' },
    { MAX_UPLOAD: '200GiB' },
    { S3_REGION: 'a/b' },
  );
  for (const setting of wrong)
    assert.throws(
      () => readConfig({ ...s3, ...setting }),
      (error: Error & { code?: string }) =>
        error.code === 'SETTING_INVALID' && !error.message.includes('hidden'),
      JSON.stringify(setting),
    );
  assert.throws(() => readConfig({ STORE_REDIRECT: 'true' }), { code: 'SETTING_INVALID' });
});

test('proxies are addresses and networks', () => {
  assert.equal(readConfig({ TRUSTED_PROXIES: '127.0.0.1, fd00::/8' }).trustedProxies, '127.0.0.1,fd00::/8');
  for (const text of ['loopback', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '*', ''.padEnd(3, ',')])
    assert.throws(() => readConfig({ TRUSTED_PROXIES: text }), { code: 'SETTING_INVALID' }, text);
});

/** Which URLs and which addresses may be fetched from: what an attacker would write, and what a user would. */
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import test from 'node:test';
import fc from 'fast-check';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { isAllowedAddress } from '../src/remote-input/addresses.ts';
import { checkInputUrl } from '../src/remote-input/check-url.ts';
import {
  isAllowedByName,
  parseUrlPolicy,
  policyOfUser,
  privateNetworksOf,
} from '../src/remote-input/policy.ts';

function judge(url: string, hosts: string | null): string {
  try {
    return checkInputUrl(url, parseUrlPolicy(hosts, null), 'input.url').href;
  } catch (error) {
    assert.ok(error instanceof GeomillError, String(error));
    return error.code;
  }
}

const LISTED = 'data.example.org, *.tiles.example.org, files.example.org:8443, 93.184.216.34, bücher.example';

const allowed: [string, string][] = [
  ['https://data.example.org/roads.zip', 'https://data.example.org/roads.zip'],
  ['http://data.example.org/a?key=1#part', 'http://data.example.org/a?key=1'],
  ['HTTPS://DATA.Example.ORG/', 'https://data.example.org/'],
  ['https://data.example.org:443/', 'https://data.example.org/'],
  ['https://data.example.org:80/', 'https://data.example.org:80/'],
  ['https://a.tiles.example.org/', 'https://a.tiles.example.org/'],
  ['https://a.b.tiles.example.org/', 'https://a.b.tiles.example.org/'],
  ['https://files.example.org:8443/', 'https://files.example.org:8443/'],
  ['http://93.184.216.34/', 'http://93.184.216.34/'],
  ['https://bücher.example/straße', 'https://xn--bcher-kva.example/stra%C3%9Fe'],
  ['https://data.example.org/@evil.example', 'https://data.example.org/@evil.example'],
];

test('what the operator lists is allowed', () => {
  for (const [url, href] of allowed) assert.equal(judge(url, LISTED), href);
});

const INVALID = 'URL_INVALID';
const REFUSED = 'URL_REFUSED';

const refused: [string, string][] = [
  ['https://example.org/', REFUSED],
  ['https://tiles.example.org/', REFUSED],
  ['https://eviltiles.example.org/', REFUSED],
  ['https://data.example.org.evil.example/', REFUSED],
  ['https://evil-data.example.org/', REFUSED],
  ['https://data.example.org:8080/', REFUSED],
  ['https://data.example.org:22/', REFUSED],
  ['https://files.example.org/', REFUSED],
  ['http://93.184.216.35/', REFUSED],
  ['http://data.example.org@evil.example/', INVALID],
  ['http://data.example.org:80@evil.example/', INVALID],
  ['http://user:secret@data.example.org/', INVALID],
  ['http://evil.example#@data.example.org/', REFUSED],
  ['http://evil.example\\@data.example.org/', INVALID],
  ['http://data.example.org\\.evil.example/', INVALID],
  ['http:\\\\data.example.org/', INVALID],
  ['http://data.example.org%2eevil.example/', REFUSED],
  ['http://data.example.org%00.evil.example/', INVALID],
  ['http://data.exa\tmple.org/', INVALID],
  ['http://data.example.org/ x', INVALID],
  [' http://data.example.org/', INVALID],
  ['http://data.example.org/\r\nX: y', INVALID],
  ['http://data.example.org./', INVALID],
  ['http:data.example.org', INVALID],
  ['http:///data.example.org/', INVALID],
  ['//data.example.org/', INVALID],
  ['data.example.org', INVALID],
  ['', INVALID],
  ['file:///etc/passwd', INVALID],
  ['file://data.example.org/etc/passwd', INVALID],
  ['ftp://data.example.org/a.zip', INVALID],
  ['gopher://data.example.org:6379/_INFO', INVALID],
  ['data:application/json,{}', INVALID],
  ['javascript:alert(1)', INVALID],
  ['blob:https://data.example.org/x', INVALID],
  ['ws://data.example.org/', INVALID],
  ['http+unix://%2Fvar%2Frun%2Fdocker.sock/info', INVALID],
  [`https://data.example.org/${'a'.repeat(9000)}`, INVALID],
];

test('what the operator does not list is refused, however it is dressed up', () => {
  for (const [url, code] of refused) assert.equal(judge(url, LISTED), code, url);
  for (const [url] of [...allowed, ...refused]) assert.match(judge(url, null), /^URL_/, url);
});

/** Spellings of addresses that some program or other understands. */
const ADDRESS_URLS = [
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://127.0.1/',
  'http://0/',
  'http://127.0.0.1./',
  'http://①②⑦.⓪.⓪.①/',
  'http://127。0。0。1/',
  'http://127.0.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/',
  'http://8.8.8.8/',
  'http://[::1]/',
  'http://[::]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[2606:2800:220:1:248:1893:25c8:1946]/',
  'http://256.1.1.1/',
  'http://1.2.3.4.5/',
];

test('an address in the place of a name is refused, whatever its spelling, also where any host is allowed', () => {
  for (const url of ADDRESS_URLS)
    for (const hosts of ['*', LISTED]) assert.match(judge(url, hosts), /^URL_(?:REFUSED|INVALID)$/, url);
  assert.equal(judge('https://any.host.example/', '*'), 'https://any.host.example/');
  assert.equal(judge('https://any.host.example:8080/', '*'), REFUSED);
  assert.equal(judge('https://any.host.example:8080/', '*:8080'), 'https://any.host.example:8080/');
  assert.equal(judge('http://[2001:db8::1]:8080/', '[2001:DB8::0001]:8080'), 'http://[2001:db8::1]:8080/');
});

test('a refusal tells the host and nothing else of the URL', () => {
  const key = 'https://evil.example/a?signature=secret';
  const policy = parseUrlPolicy('data.example.org', null);
  assert.throws(() => checkInputUrl(key, policy, 'input.url'), {
    message:
      "files are not fetched from 'evil.example': the host is not allowed by INPUT_URL_HOSTS, or has no public address; check the name, or send the file itself",
  });
  assert.throws(
    () => checkInputUrl('http://u:secret@data.example.org/', policy, 'input.url'),
    (error: Error) => {
      assert.doesNotMatch(error.message, /secret/);
      return true;
    },
  );
});

test('settings that cannot be meant stop the start', () => {
  const bad = [
    'http://a.example',
    'a.example/path',
    'a.example:0',
    'a.example:70000',
    '**',
    '*a.example',
    'a.*.example',
  ];
  for (const hosts of [
    ...bad,
    '*.10.0.0.1',
    '*.0.1',
    'user@a.example',
    '::1',
    'a..example:x',
    'a.example.',
    '*.',
  ])
    assert.throws(() => parseUrlPolicy(hosts, null), { code: 'SETTING_INVALID' }, hosts);
  for (const networks of ['10.1/8', '10.0.0.0/33', 'localhost', '10.0.0.0/', 'fd00::/129', '0x7f.0.0.1/8'])
    assert.throws(() => parseUrlPolicy('*', networks), { code: 'SETTING_INVALID' }, networks);
  assert.deepEqual(parseUrlPolicy('*', ' 10.0.0.0/8, fd00:1::/32,127.0.0.1 ,').privateNetworks, [
    '10.0.0.0/8',
    'fd00:1::/32',
    '127.0.0.1/32',
  ]);
});

const INSIDE = [
  ['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '127.0.0.1', '127.255.255.254'],
  [
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '169.254.0.1',
    '169.254.169.254',
  ],
  ['192.0.0.1', '192.0.0.192', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.255', '198.51.100.1'],
  ['203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
  ['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
  ['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::7f00:1', '100::1', '100:0:0:1::1'],
  ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:2::1', '2001:10::1', '2001:20::1', '2001:db8::1'],
  [
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2002:808:808::1',
    '3fff::1',
    '5f00::1',
    '4000::1',
    '8000::1',
    'fc00::1',
  ],
  ['fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', 'ff0e::1'],
].flat();

test('no address that is not public unicast is connected to', () => {
  for (const address of INSIDE) assert.equal(isAllowedAddress(address, []), false, address);
  for (const text of [
    '',
    'localhost',
    '0177.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '8.8.8.8 ',
    '[::1]',
    '08.8.8.8',
  ])
    assert.equal(isAllowedAddress(text, ['0.0.0.0/0', '::/0']), false, text);
  for (const address of [
    '8.8.8.8',
    '93.184.216.34',
    '1.1.1.1',
    '2606:2800:220:1:248:1893:25c8:1946',
    '2a00:1450::1',
  ])
    assert.equal(isAllowedAddress(address, []), true, address);
});

test('no address of this machine on its own networks is public, as far as the system tells', () => {
  const internal = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((entry) => entry.internal);
  for (const { address } of internal) assert.equal(isAllowedAddress(address, []), false, address);
});

test('a private address is connected to exactly where its network is opened', () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const prefixed = fc.tuple(octet, octet, octet, octet, fc.integer({ min: 0, max: 32 }));
  fc.assert(
    fc.property(prefixed, fc.tuple(octet, octet, octet), ([a, b, c, d, length], [x, y, z]) => {
      const number = (...parts: number[]): number => parts.reduce((sum, part) => sum * 256 + part, 0);
      const size = 2 ** (32 - length);
      const isIn = Math.floor(number(a, b, c, d) / size) === Math.floor(number(10, x, y, z) / size);
      const network = `${a}.${b}.${c}.${d}/${length}`;
      assert.equal(isAllowedAddress(`10.${x}.${y}.${z}`, [network]), isIn);
      assert.equal(isAllowedAddress(`::ffff:10.${x}.${y}.${z}`, [network]), isIn);
    }),
    {
      examples: [
        [
          [10, 0, 0, 0, 8],
          [1, 2, 3],
        ],
        [
          [10, 1, 2, 3, 32],
          [1, 2, 3],
        ],
      ],
    },
  );
});

test('the metadata services of clouds stay closed within a network that is opened', () => {
  const open = ['169.254.0.0/16', '100.64.0.0/10', 'fd00::/8', '192.0.0.0/24', '168.63.0.0/16', 'fe80::/10'];
  for (const address of ['169.254.169.254', '::ffff:169.254.169.254', '100.100.100.200', 'fd00:ec2::254'])
    assert.equal(isAllowedAddress(address, open), false, address);
  for (const address of ['169.254.1.1', '100.100.100.201', 'fd00:ec2::1'])
    assert.equal(isAllowedAddress(address, open), true, address);
});

test('a URL that the user typed allows private addresses of its own host and port only', () => {
  // A URL that was typed, one that it redirects to: whether that is allowed, and whether its address may be private.
  const cases: readonly (readonly [string, string, boolean, boolean])[] = [
    ['http://maps.lan/a', 'http://maps.lan/b', true, true],
    ['http://maps.lan/a', 'https://maps.lan/a', true, true],
    ['http://10.1.2.3/a', 'https://10.1.2.3/a', true, true],
    ['http://10.1.2.3/a', 'https://10.1.2.4/a', false, false],
    ['http://maps.lan/a', 'https://other.lan/a', true, false],
    ['http://maps.lan/a', 'http://maps.lan:8080/a', false, false],
    ['http://maps.lan:8080/a', 'http://maps.lan:8080/b', true, true],
    ['http://maps.lan:8080/a', 'http://maps.lan/a', true, false],
    ['http://localhost:8080/a', 'http://127.0.0.1:8080/a', false, false],
  ];
  for (const [typed, target, isAllowed, mayBePrivate] of cases) {
    const policy = policyOfUser(new URL(typed));
    const url = new URL(target);
    const name = `${typed} to ${target}`;
    assert.equal(isAllowedByName(url, policy), isAllowed, name);
    assert.equal(isAllowedAddress('10.0.0.1', privateNetworksOf(url, policy)), mayBePrivate, name);
  }
});

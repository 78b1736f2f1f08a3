import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicAddress } from './public-address.ts';
import { urlProblem } from './url-problem.ts';

const refused: Record<string, string[]> = {
  loopback: ['127.0.0.1', '127.8.9.1', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.254', '192.168.1.1', 'fc00::1', 'fd12:3456::1', 'fec0::1'],
  'link-local and cloud metadata': [
    '169.254.169.254',
    '169.254.0.1',
    'fe80::1',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
  ],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.254'],
  multicast: ['224.0.0.1', '239.255.255.250', 'ff02::1'],
  'unspecified, broadcast, reserved': [
    '0.0.0.0',
    '0.1.2.3',
    '::',
    '255.255.255.255',
    '240.0.0.1',
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
    '198.18.0.1',
    '2001:db8::1',
  ],
  'IPv4 inside IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '::127.0.0.1',
    '::10.0.0.1',
    '::1.1.1.1',
    '::a9fe:a9fe',
  ],
  'no address at all': ['', 'localhost', '1.2.3', '1.2.3.4.5', '300.1.1.1', 'fe80::1%eth0'],
};

test('isPublicAddress', async (t) => {
  for (const [what, addresses] of Object.entries(refused)) {
    await t.test(`rejects ${what}`, () => {
      for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
    });
  }
  await t.test('accepts public addresses', () => {
    for (const address of ['1.1.1.1', '93.184.216.34', '172.32.0.1', '100.63.255.255', '2606:4700::1111', '::ffff:1.1.1.1']) {
      assert.equal(isPublicAddress(address), true, address);
    }
  });
});

test('webhook URLs', async (t) => {
  const wrong = [
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'example.com',
    '//example.com',
    '',
    'https://user:secret@example.com/',
    'http://example.com:22/',
    'http://example.com:25/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://api.localhost/',
    'http://db.internal/',
    'http://printer.local/',
    'http://router.home.arpa/',
    'http://mongodb/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://2130706433/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[fe80::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://①②⑦.0.0.1/',
  ];
  for (const url of wrong) {
    await t.test(`rejects ${url || 'an empty URL'}`, () => assert.notEqual(urlProblem(url), undefined));
  }
  await t.test('accepts public addresses on the usual ports', () => {
    for (const url of [
      'https://example.com',
      'http://example.com:80/a?b=c',
      'https://hooks.example.co.uk:8443/x',
      'https://1.1.1.1/',
      'https://[2606:4700::1111]/',
    ]) {
      assert.equal(urlProblem(url), undefined, url);
    }
  });
});

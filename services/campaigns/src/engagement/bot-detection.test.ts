import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areAllLinks, machineReason } from './bot-detection.ts';

test('detects automated requests', () => {
  const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';
  const fetch = { method: 'GET', userAgent: browser, deliveredFrom: new Date(0), at: new Date(60_000) };
  assert.equal(machineReason(fetch, 'clicked'), null);
  assert.equal(machineReason({ ...fetch, method: 'HEAD' }, 'opened'), 'head_request');
  assert.equal(machineReason({ ...fetch, at: new Date(1_500) }, 'clicked'), 'too_soon');
  assert.equal(machineReason({ ...fetch, deliveredFrom: null }, 'clicked'), 'too_soon');
  assert.equal(machineReason({ ...fetch, at: new Date(1_500) }, 'opened'), null);
  for (const userAgent of ['Mozilla/5.0', 'curl/8.5.0', 'Barracuda Sentinel (EE)'])
    assert.equal(machineReason({ ...fetch, userAgent }, 'opened'), 'known_program', userAgent);
  for (const userAgent of [
    ...['curl/8.5.0', 'Wget/1.21.4', 'axios/1.7.2', 'Java/17.0.2', 'Apache-HttpClient/4.5.14 (Java/17.0.2)', 'YandexMail/1.0'],
    ...['Mozilla/5.0 (compatible; bingbot/2.0)', 'Barracuda Sentinel (EE)', 'Mozilla/5.0 (Windows NT 10.0) Mimecast'],
  ])
    assert.equal(machineReason({ ...fetch, userAgent }, 'clicked'), 'known_program', userAgent);
  for (const userAgent of [
    'Mozilla/5.0 (Windows NT 5.1) Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    'YahooMailProxy; https://help.yahoo.com/kb',
    'Thunderbird/115.0',
  ])
    assert.equal(machineReason({ ...fetch, userAgent }, 'opened'), null, userAgent);
  assert.deepEqual([areAllLinks(new Set([0]), 1), areAllLinks(new Set([0, 1]), 2), areAllLinks(new Set([0, 1]), 3)], [false, true, false]);
});

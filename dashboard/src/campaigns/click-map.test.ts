import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clicksOfLinks } from './click-map.ts';

test('links that lead to the same page have their own clicks, and links without clicks have none', () => {
  const report = [
    { link: 1, url: 'https://shop.example/offer', clicks: 9 },
    { link: 2, url: 'https://shop.example/', clicks: 1 },
  ];
  const hrefs = ['https://shop.example', 'https://shop.example/offer', 'https://shop.example/'];
  assert.deepEqual(clicksOfLinks(hrefs, report), [0, 9, 1]);
});

test('clicks of the variants of an A/B test are added up', () => {
  const link = { link: 0, url: 'https://shop.example/a' };
  const report = [1, 4].map((clicks) => ({ ...link, clicks }));
  assert.deepEqual(clicksOfLinks(['https://shop.example/a'], report), [5]);
});

test('untracked links do not count as places', () => {
  const report = [{ link: 0, url: 'https://shop.example/', clicks: 2 }];
  const hrefs = ['mailto:a@shop.example', 'https://mail.example/t/u/1', '#top', 'https://shop.example/'];
  assert.deepEqual(clicksOfLinks(hrefs, report), [undefined, undefined, undefined, 2]);
});

test('a link that is different for each recipient is found by its place', () => {
  assert.deepEqual(clicksOfLinks(['https://shop.example/?for=ada'], [{ link: 0, url: null, clicks: 7 }]), [7]);
});

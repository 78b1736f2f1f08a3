import assert from 'node:assert/strict';
import { test } from 'node:test';
import { touchOf } from './channels.ts';

const noUtm = { source: null, medium: null, campaign: null };
const arrive = (referrer: string | null, utm: Partial<typeof noUtm> | { source?: string; medium?: string } = {}) =>
  touchOf({ page: { url: 'https://www.example.com/pricing', referrer }, utm: { ...noUtm, ...utm } });

test('the channel comes from the link rather than from the referrer', () => {
  for (const [referrer, utm, channel, source] of [
    [null, {}, 'direct', 'direct'],
    ['https://example.com/', {}, 'direct', 'direct'],
    ['https://www.google.co.uk/search?q=x', {}, 'organic_search', 'google'],
    ['https://www.google.com/', { source: 'google', medium: 'cpc' }, 'paid_search', 'google'],
    ['https://mail.google.com/', {}, 'email', 'gmail'],
    ['https://gemini.google.com/', {}, 'assistant', 'gemini'],
    ['https://l.facebook.com/', {}, 'organic_social', 'facebook'],
    [null, { source: 'Facebook', medium: 'paid_social' }, 'paid_social', 'facebook'],
    ['https://t.co/x', {}, 'organic_social', 'twitter'],
    ['https://youtu.be/x', {}, 'organic_video', 'youtube'],
    [null, { source: 'spring', medium: 'email' }, 'email', 'spring'],
    [null, { source: 'list', medium: 'newsletter' }, 'email', 'list'],
    [null, { source: 'partner', medium: 'affiliate' }, 'affiliates', 'partner'],
    [null, { source: 'adnet', medium: 'retargeting' }, 'paid_other', 'adnet'],
    ['https://blog.example.org/post', {}, 'referral', 'blog.example.org'],
    ['https://notgoogle.org/', {}, 'referral', 'notgoogle.org'],
    ['https://google.evil.example', {}, 'referral', 'google.evil.example'],
    ['https://ask.example.org/', {}, 'referral', 'ask.example.org'],
    ['not a url', {}, 'direct', 'direct'],
  ] as const) {
    const touch = arrive(referrer, utm);
    assert.deepEqual([referrer, touch.channel, touch.source], [referrer, channel, source]);
  }
  assert.equal(touchOf({ page: null, utm: null }).channel, 'direct');
});

test('the hosts, apps and names of a known site are one source', () => {
  for (const [source, referrers, names] of [
    [
      'facebook',
      ['https://m.facebook.com/', 'https://lm.facebook.com/l.php', 'android-app://com.facebook.katana/'],
      ['fb', 'Facebook.com'],
    ],
    ['google', ['https://www.google.de/', 'android-app://com.google.android.googlequicksearchbox/'], ['Google', 'www.google.com']],
    ['twitter', ['https://x.com/a', 'https://mobile.twitter.com/'], ['x', 'twitter']],
    ['youtube', ['https://m.youtube.com/watch'], ['YT', 'youtube']],
    ['gmail', ['android-app://com.google.android.gm/'], ['gmail']],
    ['yahoo', ['https://de.search.yahoo.com/'], ['yahoo']],
  ] as const) {
    for (const referrer of referrers) assert.equal(arrive(referrer).source, source, referrer);
    for (const name of names) assert.equal(arrive(null, { source: name }).source, source, name);
  }
  assert.equal(arrive(null, { source: 'toString' }).source, 'tostring');
});

const arriveAt = (url: string, referrer: string | null = null, utm: { source?: string; medium?: string } = {}) => {
  const { channel, source, utm_source } = touchOf({ page: { url, referrer }, utm: { ...noUtm, ...utm } });
  return [channel, source, utm_source];
};

test('a click ID sets the source and medium, unless the link has them itself', () => {
  for (const [query, channel, source] of [
    ['gclid=x', 'paid_search', 'google'],
    ['gbraid=x', 'paid_search', 'google'],
    ['wbraid=x', 'paid_search', 'google'],
    ['msclkid=x', 'paid_search', 'bing'],
    ['ttclid=x', 'paid_social', 'tiktok'],
    ['twclid=x', 'paid_social', 'twitter'],
    ['li_fat_id=x', 'paid_social', 'linkedin'],
    ['fbclid=x', 'organic_social', 'facebook'],
    ['gclid=', 'direct', 'direct'],
    ['GCLID=x', 'direct', 'direct'],
  ] as const)
    assert.deepEqual(arriveAt(`https://example.com/?${query}`), [channel, source, null], query);
  assert.deepEqual(arriveAt('https://example.com/?gclid=x', 'https://www.google.com/'), ['paid_search', 'google', null]);
  assert.deepEqual(arriveAt('https://example.com/?gclid=x', null, { source: 'google' }), ['paid_search', 'google', 'google']);
  assert.deepEqual(arriveAt('https://example.com/?gclid=x', null, { source: 'spring', medium: 'email' }), ['email', 'spring', 'spring']);
});

test('?ref= sets the source if the link has no utm_source', () => {
  assert.deepEqual(arriveAt('https://example.com/?ref=Partner'), ['referral', 'partner', null]);
  assert.deepEqual(arriveAt('https://example.com/?ref=news.ycombinator.com'), ['organic_social', 'hackernews', null]);
  assert.deepEqual(arriveAt('https://example.com/?ref=https%3A%2F%2Fwww.producthunt.com%2Fposts'), ['referral', 'producthunt.com', null]);
  assert.deepEqual(arriveAt('https://example.com/?ref=partner', 'https://www.google.com/'), ['referral', 'partner', null]);
  assert.deepEqual(arriveAt('https://example.com/?ref=partner', null, { source: 'list', medium: 'email' }), ['email', 'list', 'list']);
  assert.deepEqual(
    arriveAt('https://example.com/?ref=shop.example.com'),
    ['direct', 'direct', null],
    'a host of the site itself is not a source',
  );
  assert.deepEqual(arriveAt(`https://example.com/?ref=${'x'.repeat(500)}`)[1]?.length, 200);
});

test('hosts of the same site do not count as referrers', () => {
  for (const [page, referrer, source] of [
    ['https://shop.example.co.uk/', 'https://www.example.co.uk/', 'direct'],
    ['https://example.co.uk/', 'https://checkout.pay.example.co.uk/', 'direct'],
    ['https://other.co.uk/', 'https://example.co.uk/', 'example.co.uk'],
    ['https://a.github.io/', 'https://b.github.io/', 'b.github.io'],
    ['http://localhost:3000/', 'http://localhost:8080/', 'direct'],
    ['http://10.0.0.1/', 'http://10.0.0.2/', '10.0.0.2'],
  ] as const)
    assert.equal(arriveAt(page, referrer)[1], source, `${referrer} → ${page}`);
});

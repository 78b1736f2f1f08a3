import assert from 'node:assert/strict';
import { test } from 'node:test';
import { touchOf } from './channels.ts';

const noUtm = { source: null, medium: null, campaign: null };
const arrive = (referrer: string | null, utm: Partial<typeof noUtm> | { source?: string; medium?: string } = {}) =>
  touchOf({ page: { url: 'https://www.example.com/pricing', referrer }, utm: { ...noUtm, ...utm } });

test('a visit gets its channel from the link before the page that linked', () => {
  for (const [referrer, utm, channel, source] of [
    [null, {}, 'direct', 'direct'],
    ['https://example.com/', {}, 'direct', 'direct'],
    ['https://www.google.co.uk/search?q=x', {}, 'organic_search', 'google.co.uk'],
    ['https://www.google.com/', { source: 'google', medium: 'cpc' }, 'paid_search', 'google'],
    ['https://mail.google.com/', {}, 'email', 'mail.google.com'],
    ['https://gemini.google.com/', {}, 'assistant', 'gemini.google.com'],
    ['https://l.facebook.com/', {}, 'organic_social', 'l.facebook.com'],
    [null, { source: 'Facebook', medium: 'paid_social' }, 'paid_social', 'facebook'],
    ['https://t.co/x', {}, 'organic_social', 't.co'],
    ['https://youtu.be/x', {}, 'organic_video', 'youtu.be'],
    [null, { source: 'spring', medium: 'email' }, 'email', 'spring'],
    [null, { source: 'list', medium: 'newsletter' }, 'email', 'list'],
    [null, { source: 'partner', medium: 'affiliate' }, 'affiliates', 'partner'],
    [null, { source: 'adnet', medium: 'retargeting' }, 'paid_other', 'adnet'],
    ['https://blog.example.org/post', {}, 'referral', 'blog.example.org'],
    ['https://notgoogle.org/', {}, 'referral', 'notgoogle.org'],
    ['https://google.evil.example', {}, 'organic_search', 'google.evil.example'],
    ['not a url', {}, 'direct', 'direct'],
  ] as const) {
    const touch = arrive(referrer, utm);
    assert.deepEqual([referrer, touch.channel, touch.source], [referrer, channel, source]);
  }
  assert.equal(touchOf({ page: null, utm: null }).channel, 'direct');
});

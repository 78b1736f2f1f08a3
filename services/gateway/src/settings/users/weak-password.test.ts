import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weakness } from './weak-password.ts';

const email = 'ada.lovelace@example.com';

test('rejects passwords that are easy to guess and accepts others', async () => {
  for (const [password, why] of [
    [' '.repeat(12), /spaces/],
    ['\u3000'.repeat(12), /spaces/],
    [email, /email address/],
    [' ADA.Lovelace@Example.com ', /email address/],
    ['ada.lovelace', /email address/],
    ['aaaaaaaaaaaa', /repeats a few/],
    ['abcabcabcabc', /repeats a few/],
    ['password1234', /too common/],
    ['Password1234', /too common/],
    ['passwordpassword', /too common/],
    ['123456789012', /too common/],
  ] as const)
    assert.match((await weakness(password, email)) ?? '', why, password);
  for (const password of ['correct horse battery staple', 'ada.lovelace@example.com likes tea', 'long and never heard of'])
    assert.equal(await weakness(password, email), undefined, password);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weakness } from './weak-password.ts';

const email = 'ada.lovelace@example.com';

test('passwords that are guessed first are told apart from others', async () => {
  for (const [password, why] of [
    [' '.repeat(12), /spaces/],
    ['\u3000'.repeat(12), /spaces/],
    [email, /e-mail/],
    [' ADA.Lovelace@Example.com ', /e-mail/],
    ['ada.lovelace', /e-mail/],
    ['aaaaaaaaaaaa', /again and again/],
    ['abcabcabcabc', /again and again/],
    ['password1234', /most common/],
    ['Password1234', /most common/],
    ['passwordpassword', /most common/],
    ['123456789012', /most common/],
  ] as const)
    assert.match((await weakness(password, email)) ?? '', why, password);
  for (const password of ['correct horse battery staple', 'ada.lovelace@example.com likes tea', 'long and never heard of'])
    assert.equal(await weakness(password, email), undefined, password);
});

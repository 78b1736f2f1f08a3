import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { linkKeys } from '../../../test/setting.ts';
import { readWebhook, signWebhook } from './webhook-token.ts';

test('the token of a provider has exactly one spelling', () => {
  const [accountId, providerId] = [newId('account'), newId('provider')];
  const token = signWebhook(linkKeys, accountId, providerId);
  assert.deepEqual(readWebhook(linkKeys, token), { accountId, providerId });
  const [text = '', key = '', code = ''] = token.split('.');
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const sameBytes = [...last].map((letter) => `${text}.${key}.${code.slice(0, -1)}${letter}`).filter((other) => other !== token);
  for (const other of [`${token}=`, `${token} `, ` ${token}`, `${token}.`, `${text}.${key}.${code}\n`, token.toUpperCase(), ...sameBytes])
    assert.equal(readWebhook(linkKeys, other), undefined, other);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import { newId } from '@mp/ids';
import fc from 'fast-check';
import { linkKeys } from '../../../test/setting.ts';
import { readLink, signLink } from './link-token.ts';

test('a link token reads back as signed, and is rejected under any other key or after any change', () => {
  const other = parseKeyring(`test:${Buffer.alloc(32, 9).toString('base64url')}`);
  fc.assert(
    fc.property(
      fc.constantFrom('open', 'click', 'unsubscribe'),
      fc.nat(1_000),
      fc.nat(200),
      fc.string({ minLength: 1, maxLength: 1 }),
      (purpose, number, at, letter) => {
        const link = {
          purpose,
          accountId: newId('account'),
          recipientId: newId('recipient'),
          number: purpose === 'click' ? number : 0,
        } as const;
        const token = signLink(linkKeys, link);
        assert.deepEqual(readLink(linkKeys, token), link);
        assert.equal(readLink(other, token), undefined);
        const position = at % token.length;
        const changed = token.slice(0, position) + letter + token.slice(position + 1);
        if (changed !== token) assert.equal(readLink(linkKeys, changed), undefined);
        for (const twisted of [`${token}A`, token.slice(0, -1), ` ${token}`, `${token}.`])
          assert.equal(readLink(linkKeys, twisted), undefined);
      },
    ),
  );
});

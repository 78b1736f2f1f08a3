import { createHash, randomUUID } from 'node:crypto';
import type { Permission, Scope } from '@mp/contracts/permissions';
import { KeyCharged } from '@mp/contracts/requests/gateway';
import type { AccountId } from '@mp/ids';
import type { Parts } from '@mp/service-kit/service-parts';

type Key = { account_id: AccountId; scopes: Scope[] | null; permission: Permission; left: number };

/** A gateway that verifies the keys made by `keyOf`, and charges them until their quota is exhausted. */
export async function replyAsGateway(parts: Pick<Parts, 'broker'>) {
  const keys = new Map<string, Key>();
  await parts.broker.reply(KeyCharged, async ({ key_hash, requests }) => {
    const key = keys.get(key_hash);
    const refusal = { message: 'refused', retry_after: 7, details: [] };
    if (!key) return { headers: {}, key: null, refused: { code: 'UNAUTHORIZED' as const, ...refusal } };
    const { account_id, permission, scopes } = key;
    key.left -= requests;
    const refused = key.left < 0 ? ({ code: 'QUOTA_EXCEEDED', ...refusal } as const) : null;
    return { headers: { 'x-ratelimit-remaining': String(key.left) }, key: { id: 'key_test', account_id, permission, scopes }, refused };
  });
  return {
    keyOf(account_id: AccountId, { scopes = null as Scope[] | null, left = 100_000 } = {}) {
      const text = `mp_live_${randomUUID().replaceAll('-', '')}${'0'.repeat(17)}`;
      keys.set(createHash('sha256').update(text).digest('base64url'), { account_id, scopes, permission: 'read_write', left });
      return text;
    },
  };
}

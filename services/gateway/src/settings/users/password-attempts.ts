import type { AccountId } from '@mp/ids';
import { networkOf } from '@mp/service-kit/client-address';
import type { Guarded } from './attempts-store.ts';

/**
 * Which counters a password attempt increments: a strict one per email address and network, and a loose one per email
 * address. Attackers can neither guess for long nor lock a user out with a few failures. Each account with this address
 * counts separately, because a correct password in one says nothing about the others.
 */
export function guardedBy(accountId: AccountId | undefined, email: string, address: string): readonly Guarded[] {
  const whose = accountId === undefined ? email : `${accountId} ${email}`;
  return [
    { key: `password ${whose} ${networkOf(address)}`, allowed: 5 },
    { key: `password ${whose}`, allowed: 50 },
  ];
}

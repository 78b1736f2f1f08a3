import { type Keyring, sign, verify } from '@mp/contracts/keyring';
import { type AccountId, type Id, idPrefixes, trustedId } from '@mp/ids';

export type OptInId = Id<'optIn'>;

/** For how long the link of a confirmation email is valid. */
export const linkDays = 7;
const linkMs = linkDays * 24 * 60 * 60_000;

export const suffix = (id: string) => id.slice(id.lastIndexOf('_') + 1);
export const secondsOf = (at: Date) => Math.floor(at.getTime() / 1_000).toString(36);
export const dateOf = (seconds: string) => new Date(Number.parseInt(seconds, 36) * 1_000);

type Link = { accountId: AccountId; optInId: OptInId };

const linkPattern = /^([0-9a-z]{26})([0-9a-z]{26})([0-9a-z]{6,8})$/;

/** The token of a confirmation link. It names no person, and cannot be forged. */
export const signLink = (keyring: Keyring, { accountId, optInId }: Link, now: Date): string =>
  sign(keyring, `${suffix(accountId)}${suffix(optInId)}${secondsOf(now)}`, 'form confirmation', 16);

/** What the token names; undefined if its signature is not valid or it is older than 7 days. */
export function readLink(keyring: Keyring, token: string, now: Date): Link | undefined {
  const [, account, optIn, seconds] = linkPattern.exec(verify(keyring, token, 'form confirmation', 16) ?? '') ?? [];
  if (seconds === undefined || now.getTime() - dateOf(seconds).getTime() > linkMs) return undefined;
  return {
    accountId: trustedId<'account'>(`${idPrefixes.account}_${account}`),
    optInId: trustedId<'optIn'>(`${idPrefixes.optIn}_${optIn}`),
  };
}

import { randomBytes } from 'node:crypto';
import { type Keyring, sign, verify } from '@mp/contracts/keyring';
import { type AccountId, type FormId, type Id, idPrefixes, trustedId } from '@mp/ids';

export type OptInId = Id<'optIn'>;

/** For how long the link of a confirmation email is valid. */
export const linkDays = 7;
const linkMs = linkDays * 24 * 60 * 60_000;
/** A page may stay open for this long before it is submitted. */
const stampMs = 24 * 60 * 60_000;

const suffix = (id: string) => id.slice(id.lastIndexOf('_') + 1);
const secondsOf = (at: Date) => Math.floor(at.getTime() / 1_000).toString(36);
const dateOf = (seconds: string) => new Date(Number.parseInt(seconds, 36) * 1_000);

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

/** When a page was rendered, and a value that makes its submission recognisable when it is sent twice. */
export type Stamp = { at: Date; nonce: string };

const stampPattern = /^([0-9a-z]{26})([0-9a-z]{6,8})x([0-9a-f]{16})$/;

/** What a page carries to prove when it was rendered. */
export const signStamp = (keyring: Keyring, formId: FormId, now: Date): string =>
  sign(keyring, `${suffix(formId)}${secondsOf(now)}x${randomBytes(8).toString('hex')}`, 'form stamp', 16);

/** The stamp of a page of this form; undefined if it is not valid or older than a day. */
export function readStamp(keyring: Keyring, formId: FormId, token: string, now: Date): Stamp | undefined {
  const [, form, seconds, nonce] = stampPattern.exec(verify(keyring, token, 'form stamp', 16) ?? '') ?? [];
  if (seconds === undefined || nonce === undefined || form !== suffix(formId)) return undefined;
  const at = dateOf(seconds);
  return now.getTime() - at.getTime() > stampMs ? undefined : { at, nonce };
}

import { randomBytes } from 'node:crypto';
import { type Keyring, sign, verify } from '@mp/contracts/keyring';
import type { FormId } from '@mp/ids';
import { dateOf, secondsOf, suffix } from './link-token.ts';

/** A page may stay open for this long before it is submitted. */
const stampMs = 24 * 60 * 60_000;

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

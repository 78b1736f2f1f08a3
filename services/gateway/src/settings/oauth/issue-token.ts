import type { Transaction } from '@mp/service-kit/mongo';
import { secretHash } from '../../credentials/secret-hash.ts';
import { scopesVersion } from '../../credentials/stored-scopes.ts';
import { newSecret } from '../../credentials/token-format.ts';
import type { OauthTokensStore, TokenDocument } from './oauth-tokens-store.ts';

const lifetimeSeconds = 3_600;

type Issued = Pick<TokenDocument, 'account_id' | 'client_id' | 'grant_id' | 'scopes' | 'created_for'>;

/** Stores a new access token, valid for an hour or until `ends`. Only the client learns its text. */
export async function issueToken(
  tokens: Pick<OauthTokensStore, 'insert'>,
  issued: Issued,
  ends: Date | null,
  tx?: Transaction,
): Promise<{ text: string; expires_in: number }> {
  const text = newSecret('token');
  const now = Date.now();
  const expiresAt = Math.min(now + lifetimeSeconds * 1_000, ends?.getTime() ?? Number.POSITIVE_INFINITY);
  const times = { created_at: new Date(now), expires_at: new Date(expiresAt) };
  await tokens.insert({ _id: secretHash(text), ...issued, scopes_version: scopesVersion, ...times }, tx);
  return { text, expires_in: Math.max(1, Math.floor((expiresAt - now) / 1_000)) };
}

import type { AccountId } from '@mp/ids';
import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

type LinkTokenDocument = { _id: string; account_id: AccountId; visitor_id: string; expires_at: Date };

export type LinkTokensStore = ReturnType<typeof createLinkTokensStore>;

/** A token may be used a little after it has expired, because clocks differ. */
const slackMs = 60_000;

/** Owns the `link_tokens` collection: which visitor has used the token of a link in an email, until it expires. */
export function createLinkTokensStore(db: Db) {
  const tokens = db.collection<LinkTokenDocument>('link_tokens');
  return {
    prepare: () =>
      prepareCollection(
        tokens,
        [
          { name: 'account', key: { account_id: 1 } },
          { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
        ],
        db,
      ),

    /** Returns false if another visitor has used the token. The same one may repeat an event that it does not know to be stored. */
    async use(accountId: AccountId, token: { id: string; expiresAt: number }, visitor_id: string): Promise<boolean> {
      const own = { _id: `${accountId} ${token.id}`, account_id: accountId };
      try {
        await tokens.insertOne({ ...own, visitor_id, expires_at: new Date(token.expiresAt + slackMs) });
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return (await tokens.findOne(own))?.visitor_id === visitor_id;
      }
    },
  };
}

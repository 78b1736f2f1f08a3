import { domainKey } from '@mp/contracts/contact';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import { type AccountId, newId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { newDkimKeys, openPrivateKey } from './dkim-keys.ts';
import { type DnsRecord, recordsOf, returnPathDomain, type SendingSetup } from './dns-records.ts';
import type { Sender } from './sender.ts';

type SenderDocument = {
  _id: string;
  account_id: AccountId;
  domain: string;
  selector: string;
  public_key: string;
  /** The private key, sealed. */
  private_key: string;
  /** The purposes of the records that the latest check found. */
  found: DnsRecord['purpose'][];
  /** Those about which the DNS could not be asked; what was found before still counts. */
  undetermined?: DnsRecord['purpose'][];
  checked_at: Date | null;
  created_at: Date;
};

/** How the emails of a verified domain are signed, and their return path if it is set up. */
export type Signing = { domain: string; selector: string; privateKey: string; returnPath: string | undefined };

type Known = { signing: Signing | undefined; until: number };

export type SendersStore = ReturnType<typeof createSendersStore>;

const keptMs = 10_000;
const maxKept = 1_000;

/** The sending domains of accounts and their DKIM keys. Every query names the account. */
export function createSendersStore(db: Db, cursors: Cursors, { linkKeys, setup }: { linkKeys: Keyring; setup: SendingSetup }) {
  const senders = db.collection<SenderDocument>('senders');
  const kept = new Map<string, Known>();

  const senderOf = ({ _id, domain, selector, public_key, found, undetermined = [], checked_at, created_at }: SenderDocument): Sender => ({
    ...{ id: _id, domain, status: found.includes('dkim') ? 'verified' : 'pending' },
    records: recordsOf({ domain, selector, publicKey: public_key }, setup).map((record) => ({
      ...record,
      found: checked_at === null || undetermined.includes(record.purpose) ? null : found.includes(record.purpose),
    })),
    checked_at: checked_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  });

  async function load(accountId: AccountId, domain: string): Promise<Signing | undefined> {
    const document = await senders.findOne({ account_id: accountId, domain, found: 'dkim' });
    const privateKey = document && openPrivateKey(linkKeys, document._id, document.private_key);
    if (!document || privateKey === undefined) return undefined;
    const hasReturnPath = document.found.includes('return_path') && setup.bounceDomain !== undefined;
    return {
      domain,
      selector: document.selector,
      privateKey: privateKey ?? '',
      returnPath: hasReturnPath ? returnPathDomain(domain) : undefined,
    };
  }

  return {
    prepare: () =>
      prepareCollection(
        senders,
        [
          { key: { account_id: 1, domain: 1 }, name: 'domain', unique: true },
          { key: { account_id: 1, _id: 1 }, name: 'of_account' },
        ],
        db,
      ),

    /** Throws CONFLICT if the account has the domain. */
    async insert(tx: Transaction, accountId: AccountId, domain: string) {
      const existing = await senders.findOne({ account_id: accountId, domain }, { session: tx.session, projection: { _id: 1 } });
      if (existing)
        throw new ApiError('CONFLICT', `The sender ${existing._id} has the domain ${domain}.`, {
          details: [{ path: '/domain', code: 'domain_taken', message: 'A sender has this domain.', existing_id: existing._id }],
        });
      const _id = newId('sender');
      const document = {
        ...{ _id, account_id: accountId, domain, selector: `mp${_id.slice(-10)}`, found: [], checked_at: null, created_at: new Date() },
        ...(await newDkimKeys(linkKeys, _id)),
      };
      await senders.insertOne(document, { session: tx.session });
      return senderOf(document);
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string): Promise<Sender> {
      const document = await senders.findOne({ _id: id, account_id: accountId });
      if (!document) throw notFound();
      return senderOf(document);
    },

    /** Stores the result of a check. Throws NOT_FOUND. */
    async checked(tx: Transaction, accountId: AccountId, id: string, records: readonly DnsRecord[]): Promise<Sender> {
      const before = await senders.findOne({ _id: id, account_id: accountId }, { session: tx.session, projection: { found: 1 } });
      const purposesOf = (wanted: boolean | null) => records.filter(({ found }) => found === wanted).map(({ purpose }) => purpose);
      const undetermined = purposesOf(null);
      const found = [...purposesOf(true), ...undetermined.filter((purpose) => before?.found.includes(purpose))];
      const document = await senders.findOneAndUpdate(
        { _id: id, account_id: accountId },
        { $set: { found, undetermined, checked_at: new Date() } },
        { session: tx.session, returnDocument: 'after' },
      );
      if (!document) throw notFound();
      tx.afterCommit(() => kept.delete(`${accountId} ${document.domain}`));
      return senderOf(document);
    },

    /** Throws NOT_FOUND. */
    async remove(tx: Transaction, accountId: AccountId, id: string) {
      const document = await senders.findOneAndDelete({ _id: id, account_id: accountId }, { session: tx.session });
      if (!document) throw notFound();
      tx.afterCommit(() => kept.delete(`${accountId} ${document.domain}`));
    },

    async list(accountId: AccountId, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
      const { items, pagination } = await findPage({
        collection: senders,
        filter: { account_id: accountId },
        order: { field: '_id', direction: -1 },
        ...{ limit, cursor, cursors },
        boundTo: ['senders', accountId],
      });
      return { items: items.map(senderOf), pagination };
    },

    /** How emails from this address are signed; undefined if its domain is not verified. Known for ten seconds. */
    async signingOf(accountId: AccountId, from: string): Promise<Signing | undefined> {
      const domain = domainKey(from.slice(from.lastIndexOf('@') + 1));
      const key = `${accountId} ${domain}`;
      const known = kept.get(key);
      if (known && known.until > Date.now()) return known.signing;
      const signing = await load(accountId, domain);
      if (kept.size >= maxKept) kept.clear();
      kept.set(key, { signing, until: Date.now() + keptMs });
      return signing;
    },
  };
}

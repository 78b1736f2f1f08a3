import { createHmac, randomBytes } from 'node:crypto';
import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { dayMs } from '../time/quarters.ts';

type SaltDocument = { _id: number; salt: string; expires_at: Date };

export type SaltsStore = ReturnType<typeof createSaltsStore>;

/**
 * Owns the `salts` collection: one random salt per UTC day, shared by all processes and deleted a day later. A
 * visitor without a stored ID is identified by a hash of site, address and browser with the salt, which then can neither be
 * reversed nor linked to the visitor of another day.
 */
export function createSaltsStore(db: Db) {
  const salts = db.collection<SaltDocument>('salts');
  let latest: { day: number; salt: Promise<string> } | undefined;

  async function read(day: number): Promise<string> {
    try {
      await salts.updateOne(
        { _id: day },
        { $setOnInsert: { salt: randomBytes(32).toString('base64url'), expires_at: new Date((day + 2) * dayMs) } },
        { upsert: true },
      );
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const row = await salts.findOne({ _id: day });
    if (!row) throw new Error(`The salt of day ${day} is missing.`);
    return row.salt;
  }

  async function saltOf(day: number): Promise<string> {
    if (latest?.day === day) return latest.salt;
    const salt = read(day);
    latest = { day, salt };
    salt.catch(() => {
      latest = undefined;
    });
    return salt;
  }

  return {
    prepare: () => prepareCollection(salts, [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }], db),

    /** The anonymous ID of a visitor for the current UTC day. */
    async visitorOf(siteId: string, address: string, userAgent: string, now: number): Promise<string> {
      const salt = await saltOf(Math.floor(now / dayMs));
      const hash = createHmac('sha256', salt)
        .update(JSON.stringify([siteId, address, userAgent]))
        .digest('base64url');
      return `day_${hash.slice(0, 22)}`;
    },
  };
}

import { ApiError, invalid, notFound } from '@mp/contracts/errors';
import { type AccountId, trustedId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { BuiltInRole, type HeldRole, heldBuiltIn, heldOf, maxRoles, type RoleRow, type UserRole } from './role.ts';

/** Roles of earlier releases have no limits. */
type RoleDocument = Omit<RoleRow, 'id' | 'sending_limits'> & Partial<Pick<RoleRow, 'sending_limits'>> & { _id: string };

export type RolesStore = ReturnType<typeof createRolesStore>;

/** Owns the `roles` collection. */
export function createRolesStore(db: Db) {
  const roles = db.collection<RoleDocument>('roles');

  const find = async (accountId: AccountId, id: string, tx?: Transaction): Promise<RoleRow | undefined> => {
    const document = await roles.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
    return document ? rowFrom(document) : undefined;
  };

  /** Names are unique, whatever their case. Callers lock the account. */
  async function requireFreeName(tx: Transaction, { id, account_id, name }: RoleRow) {
    const taken = await roles.findOne(
      { account_id, name, _id: { $ne: id } },
      { session: tx.session, collation: { locale: 'en', strength: 2 }, projection: { _id: 1 } },
    );
    if (!taken) return;
    throw new ApiError('CONFLICT', `Another role, ${taken._id}, has the name ${JSON.stringify(name)}; choose another name.`, {
      details: [{ path: '/name', code: 'name_taken', message: 'Another role has this name.', existing_id: taken._id }],
    });
  }

  return {
    prepare: () => prepareCollection(roles, [{ key: { account_id: 1, created_at: 1, _id: 1 } }], db),

    find,
    /** Throws NOT_FOUND. Built-in roles are not stored: throws INVALID_STATE. */
    async getCustom(tx: Transaction, accountId: AccountId, id: string): Promise<RoleRow> {
      if (BuiltInRole.safeParse(id).success) throw new ApiError('INVALID_STATE', 'Built-in roles cannot be changed or deleted.');
      const role = await find(accountId, id, tx);
      if (!role) throw notFound();
      return role;
    },

    /** The role with what it allows. Throws VALIDATION_ERROR if the account has no such role. Callers lock the account. */
    async held(tx: Transaction, accountId: AccountId, role: UserRole): Promise<HeldRole> {
      const named = BuiltInRole.safeParse(role);
      if (named.success) return heldBuiltIn(named.data);
      const custom = await find(accountId, role, tx);
      if (!custom) throw invalid('/role', 'unknown_role', 'No role has this ID.');
      return heldOf(custom);
    },

    /** All custom roles of the account, oldest first. */
    all: async (accountId: AccountId) =>
      (await roles.find({ account_id: accountId }).sort({ created_at: 1, _id: 1 }).limit(maxRoles).toArray()).map(rowFrom),

    count: (tx: Transaction, accountId: AccountId) => roles.countDocuments({ account_id: accountId }, { session: tx.session }),

    /** Throws CONFLICT if the name is taken. */
    async insert(tx: Transaction, role: RoleRow) {
      await requireFreeName(tx, role);
      const { id, ...fields } = role;
      await roles.insertOne({ _id: id, ...fields }, { session: tx.session });
    },

    /** Throws CONFLICT if the name is taken. */
    async update(tx: Transaction, role: RoleRow) {
      await requireFreeName(tx, role);
      const { id, account_id, ...fields } = role;
      await roles.updateOne({ _id: id, account_id }, { $set: fields }, { session: tx.session });
    },

    /** Repeats a change of what the role allows, in a restored backup. */
    async setAllowed(tx: Transaction, accountId: AccountId, { role, role_scopes, role_limits }: HeldRole) {
      if (role_scopes === null) return;
      const $set = { scopes: role_scopes, sending_limits: role_limits };
      await roles.updateOne({ _id: role, account_id: accountId }, { $set }, { session: tx.session });
    },

    async delete(tx: Transaction, { id, account_id }: RoleRow) {
      await roles.deleteOne({ _id: id, account_id }, { session: tx.session });
    },
  };
}

const rowFrom = ({ _id, ...fields }: RoleDocument): RoleRow => ({ id: trustedId<'role'>(_id), sending_limits: null, ...fields });

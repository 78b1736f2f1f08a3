import type { Permission } from '@mp/contracts/permissions';
import { newId } from '@mp/ids';
import { z } from 'zod';

/** The owner is an admin that cannot be removed. */
export const Role = z.enum(['owner', 'admin', 'editor', 'viewer']).meta({ id: 'Role' });
export type Role = z.infer<typeof Role>;

export const permissionOf = (role: Role): Permission =>
  (({ owner: 'admin', admin: 'admin', editor: 'read_write', viewer: 'read_only' }) as const)[role];

/** A person who uses the dashboard. */
export type UserRow = { id: string; account_id: string; name: string; role: Role; created_at: Date };

export const newOwner = (accountId: string, now = new Date()): UserRow => ({
  id: newId('user'),
  account_id: accountId,
  name: 'Owner',
  role: 'owner',
  created_at: now,
});

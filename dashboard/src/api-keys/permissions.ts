import type { components } from '../api/schema.d.ts';

export type Permission = components['schemas']['Permission'];

/** The permission levels with name and meaning, lowest first. */
export const permissions: readonly { level: Permission; name: string; means: string }[] = [
  { level: 'read_only', name: 'Read Only', means: 'Can read everything except settings.' },
  { level: 'read_write', name: 'Read/Write', means: 'Can also create, update, send and delete. No access to settings.' },
  { level: 'admin', name: 'Admin', means: 'Full access, including settings and API keys.' },
];

export const permissionName = (level: Permission) => permissions.find((permission) => permission.level === level)?.name ?? level;

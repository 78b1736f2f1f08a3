import type { Permission } from '@marketing-platform/sdk';

export type { Permission };

/** The permission levels with name and meaning, lowest first. */
export const permissions: readonly { value: Permission; label: string; means: string }[] = [
  { value: 'read_only', label: 'Read Only', means: 'Can read everything except settings.' },
  { value: 'read_write', label: 'Read/Write', means: 'Can also create, update, send and delete. No access to settings.' },
  { value: 'admin', label: 'Admin', means: 'Full access, including settings and API keys.' },
];

export const permissionName = (level: Permission) => permissions.find(({ value }) => value === level)?.label ?? level;

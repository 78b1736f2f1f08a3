import type { components } from '../api/schema.d.ts';

export type Permission = components['schemas']['Permission'];

/** What each level is called and what it means, from least to most. */
export const permissions: readonly { level: Permission; name: string; means: string }[] = [
  { level: 'read_only', name: 'Read Only', means: 'Reads everything but settings. Every write is refused.' },
  { level: 'read_write', name: 'Read/Write', means: 'Also creates, changes, sends and deletes. No settings.' },
  { level: 'admin', name: 'Admin', means: 'Everything, settings and API keys included.' },
];

export const permissionName = (level: Permission) => permissions.find((permission) => permission.level === level)?.name ?? level;

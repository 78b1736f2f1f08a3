import { useRoles } from './roles.ts';

/** The built-in roles that a user can be given. */
export const roles: readonly { value: 'viewer' | 'editor' | 'admin'; label: string; means: string }[] = [
  { value: 'viewer', label: 'Viewer', means: 'Can view everything except settings.' },
  { value: 'editor', label: 'Editor', means: 'Can also create, update, send and delete.' },
  { value: 'admin', label: 'Admin', means: 'Full access, including settings and users.' },
];

/** All roles that a user can be given: the built-in ones, then those of the account. */
export function useRoleChoices(): readonly { value: string; label: string; means: string }[] {
  const { data: all = [] } = useRoles();
  const custom = all.filter((role) => !role.built_in);
  return [...roles, ...custom.map(({ id, name, description }) => ({ value: id, label: name, means: description }))];
}

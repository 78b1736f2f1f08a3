import { BlockList, isIP } from 'node:net';
import { Permission, type Scope } from '@mp/contracts/permissions';

/** The privileges of a credential: what it may do, from where, and until when. */
export type Privileges = {
  permission: Permission;
  scopes: readonly Scope[] | null;
  ip_allow: readonly string[];
  /** Null: does not expire. */
  expires_at: Date | null;
};

/**
 * Why `holder` may not grant `wanted`, even to itself; undefined if it may. A credential cannot grant more than it has, nor
 * for longer. A target that had the same privileges `before` may keep them for as long as it had them.
 */
export function excess(holder: Privileges, wanted: Privileges, before?: Privileges): string | undefined {
  const tooStrong = strength(holder, wanted);
  if (tooStrong !== undefined || !outlasts(wanted, holder)) return tooStrong;
  if (before && strength(before, wanted) === undefined && !outlasts(wanted, before)) return undefined;
  return `This credential expires at ${holder.expires_at?.toISOString()} and cannot grant anything beyond that.`;
}

const outlasts = (one: Privileges, other: Privileges) =>
  other.expires_at !== null && (one.expires_at === null || one.expires_at.getTime() > other.expires_at.getTime());

function strength(holder: Privileges, wanted: Privileges): string | undefined {
  if (rank(wanted.permission) > rank(holder.permission)) {
    return `A ${holder.permission} credential cannot grant the permission ${wanted.permission}.`;
  }
  const { scopes } = holder;
  if (scopes !== null) {
    if (wanted.scopes === null) return 'A credential with scopes can grant only its own scopes; list them in scopes.';
    const foreign = wanted.scopes.find((scope) => !scopes.includes(scope));
    if (foreign !== undefined) return `This credential lacks the scope ${foreign}, so it cannot grant it.`;
  }
  if (holder.ip_allow.length > 0) {
    if (wanted.ip_allow.length === 0) return 'A credential with allowed IP addresses can grant only those; list them in ip_allow.';
    const foreign = wanted.ip_allow.find((range) => !holder.ip_allow.some((own) => covers(own, range)));
    if (foreign !== undefined) return `This credential may not be used from ${foreign}, so it cannot allow that address.`;
  }
  return undefined;
}

const rank = (permission: Permission) => Permission.options.indexOf(permission);

/** Whether an allow-list covers everything that another one allows. An empty list allows any address. */
export const reachesAll = (list: readonly string[], other: readonly string[]) =>
  list.length === 0 || (other.length > 0 && other.every((range) => list.some((own) => covers(own, range))));

/** Whether `outer` contains every address of `inner`. */
function covers(outer: string, inner: string): boolean {
  const [a, b] = [parts(outer), parts(inner)];
  if (a.family !== b.family || b.bits < a.bits) return false;
  const list = new BlockList();
  list.addSubnet(a.address, a.bits, a.family);
  return list.check(b.address, b.family);
}

function parts(range: string) {
  const [address = '', bits] = range.split('/');
  const family = isIP(address) === 6 ? ('ipv6' as const) : ('ipv4' as const);
  return { address, family, bits: bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits) };
}

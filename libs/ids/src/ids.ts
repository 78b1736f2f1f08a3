import { TypeID, typeidUnboxed } from 'typeid-js';

/** The kinds of ids and their prefixes. */
export const idPrefixes = {
  account: 'account',
  user: 'user',
  key: 'key',
  client: 'client',
  audit: 'audit',
  request: 'req',
  event: 'evt',
  contact: 'contact',
  merge: 'merge',
  consent: 'consent',
  erasure: 'erasure',
  suppression: 'suppression',
  import: 'import',
  export: 'export',
  segment: 'segment',
  membership: 'membership',
  campaign: 'campaign',
  recipient: 'recipient',
  visitor: 'visitor',
  session: 'session',
  activity: 'activity',
  site: 'site',
  report: 'report',
  goal: 'goal',
  workflow: 'workflow',
  run: 'run',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** A new id: the kind's prefix, `_`, and a UUIDv7 in base32 (TypeID 0.3), so ids sort by creation time. Never a secret. */
export const newId = (kind: IdKind): string => typeidUnboxed(idPrefixes[kind]);

/** Whether `value` has the format of an id of this kind. It does not need to exist. */
export function isId(kind: IdKind, value: string): boolean {
  try {
    return TypeID.fromString(value).getType() === idPrefixes[kind];
  } catch {
    return false;
  }
}

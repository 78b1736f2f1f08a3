import { TypeID, typeidUnboxed } from 'typeid-js';
import type { $brand } from 'zod';

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
  bulk: 'bulk',
  form: 'form',
  submission: 'submission',
  optIn: 'optin',
  segment: 'segment',
  membership: 'membership',
  campaign: 'campaign',
  recipient: 'recipient',
  template: 'template',
  coupon: 'coupon',
  provider: 'provider',
  sender: 'sender',
  image: 'image',
  visitor: 'visitor',
  session: 'session',
  factor: 'factor',
  activity: 'activity',
  call: 'call',
  site: 'site',
  report: 'report',
  savedReport: 'savedreport',
  goal: 'goal',
  workflow: 'workflow',
  run: 'run',
  webhook: 'webhook',
  delivery: 'delivery',
  batch: 'batch',
  stream: 'stream',
  identityProvider: 'idp',
  domain: 'domain',
  role: 'role',
  grant: 'grant',
  reportEmail: 'reportemail',
  comment: 'comment',
} as const;

export type IdKind = keyof typeof idPrefixes;

/**
 * An id of one kind: a string to everything else, but not interchangeable with the id of another kind. It is also what
 * `z.string().brand<'account'>()` returns.
 */
export type Id<Kind extends IdKind> = Kind extends IdKind ? string & $brand<Kind> : never;

export type AccountId = Id<'account'>;
export type ContactId = Id<'contact'>;
export type FormId = Id<'form'>;
export type SegmentId = Id<'segment'>;
export type WorkflowId = Id<'workflow'>;
export type RunId = Id<'run'>;
export type CampaignId = Id<'campaign'>;
export type TemplateId = Id<'template'>;
export type CouponId = Id<'coupon'>;
export type RecipientId = Id<'recipient'>;
export type WebhookId = Id<'webhook'>;
export type VisitorId = Id<'visitor'>;
export type UserId = Id<'user'>;
export type ApiKeyId = Id<'key'>;
export type OauthClientId = Id<'client'>;
export type GrantId = Id<'grant'>;

/** Who makes a request: an API key, an OAuth client or a user. */
export type PrincipalId = Id<'key' | 'client' | 'user'>;

/** A new id: the kind's prefix, `_`, and a UUIDv7 in base32 (TypeID 0.3), so ids sort by creation time. Never a secret. */
export const newId = <Kind extends IdKind>(kind: Kind): Id<Kind> => trustedId<Kind>(typeidUnboxed(idPrefixes[kind]));

/** Sorts before every id of this kind that is made at this time or later, and after those made before. */
export function firstIdAt<Kind extends IdKind>(kind: Kind, at: Date): Id<Kind> {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(at.getTime()) << 16n);
  return trustedId<Kind>(TypeID.fromUUIDBytes(idPrefixes[kind], bytes).toString());
}

/** When an id was made, by the clock of the process that made it. */
export const createdAt = (id: string): Date => {
  const bytes = TypeID.fromString(id).toUUIDBytes();
  return new Date(Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0) >> 16n));
};

/** Types text as an id without a check, for text that an id was written to: a stored row, an event, a signed context. */
export const trustedId = <Kind extends IdKind>(text: string) => text as Id<Kind>;

/** Whether `value` has the format of an id of this kind. It does not need to exist. */
export function isId<Kind extends IdKind>(kind: Kind, value: string): value is Id<Kind> {
  try {
    return TypeID.fromString(value).getType() === idPrefixes[kind];
  } catch {
    return false;
  }
}

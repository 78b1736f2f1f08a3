import { z } from 'zod';
import { Channel, ConsentMethod, ConsentStatus, ConsentTopic, SuppressionKind, SuppressionReason } from './contact.ts';
import { CredentialState } from './credential-state.ts';
import { accountId, campaignId, contactId, recipientId, runId, webhookId, workflowId } from './ids.ts';

const entry = { account_id: accountId, at: z.iso.datetime().describe('When it happened.') };

/**
 * One line of the journal, which is stored apart from backups: changes that a restored backup lacks and must not undo or
 * repeat. It identifies contacts only by ids and hashes.
 */
export const JournalEntry = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('export').describe('The first line of every export.'),
    since: z.iso.datetime(),
  }),
  z.object({ kind: z.literal('erasure'), ...entry, erasure_id: z.string(), contact_ids: z.array(contactId).min(1) }),
  z.object({
    kind: z.literal('consent'),
    ...entry,
    contact_id: contactId,
    channel: Channel,
    topic: ConsentTopic.nullable(),
    status: ConsentStatus.nullable(),
    method: ConsentMethod.nullable(),
    given_at: z.iso.datetime(),
    address_hash: z.string().optional(),
  }),
  z.object({
    kind: z.literal('suppression'),
    ...entry,
    of: SuppressionKind,
    domain: z.string().nullable(),
    hash: z.string(),
    reason: SuppressionReason,
    lifted: z.boolean(),
  }),
  z.object({
    kind: z.literal('credential'),
    ...entry,
    credential_id: z.string().describe('ID of the key, OAuth client, user or grant.'),
    secret_hash: z.string().optional().describe('Hash of the key, token or session that ended, or of the newest refresh token of a grant.'),
    state: CredentialState.optional(),
  }),
  z.object({
    kind: z.literal('account'),
    ...entry,
    status: z.enum(['active', 'suspended']).describe('The status from then on.'),
    revision: z.number().int().describe('Revision of the account; the highest is the newest.'),
  }),
  z.object({ kind: z.literal('account_erasure'), ...entry }),
  z.object({
    kind: z.literal('message'),
    ...entry,
    state: z.enum(['sent', 'bounced', 'failed']),
    recipient_id: recipientId,
    contact_id: contactId,
    campaign_id: campaignId.nullable(),
    workflow_id: workflowId.nullable(),
    effect_key: z.string().optional(),
  }),
  z.object({
    kind: z.literal('effect'),
    ...entry,
    type: z.enum(['webhook', 'send']),
    effect_key: z.string(),
    run_id: runId,
    workflow_id: workflowId,
    contact_id: contactId,
    step: z.string(),
  }),
  z.object({
    kind: z.literal('delivery').describe('Events that the receiver of a webhook accepted.'),
    ...entry,
    webhook_id: webhookId,
    event_ids: z.array(z.string()).min(1),
  }),
  z.object({
    kind: z.literal('exported').describe('The last line of every export; an export without it is incomplete.'),
    since: z.iso.datetime(),
    at: z.iso.datetime(),
    entries: z.number().int().describe('Number of lines between the first and this one.'),
  }),
]);
export type JournalEntry = z.infer<typeof JournalEntry>;
/** An entry that the platform recorded; neither the first nor the last line of an export. */
export type RecordedEntry = Exclude<JournalEntry, { kind: 'export' | 'exported' }>;
export type JournalOf<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;

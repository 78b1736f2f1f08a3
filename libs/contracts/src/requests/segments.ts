import { z } from 'zod';
import { accountId, contactId, segmentId, workflowId } from '../ids.ts';
import { Position } from '../position.ts';
import { defineRequest } from '../request.ts';
import { Source } from './positions.ts';

export const SegmentMembersPage = defineRequest({
  name: 'segments.members',
  version: 1,
  meaning: 'The ids of the members of some segments as of a time, without duplicates, in contact id order.',
  request: z.object({
    account_id: accountId,
    segment_ids: z.array(segmentId).min(1).max(100),
    as_of: z.iso.datetime(),
    after: contactId.nullable(),
    limit: z.number().int().min(1).max(5_000),
  }),
  reply: z.object({
    contact_ids: z.array(contactId),
    entered_at: z
      .array(z.iso.datetime())
      .default([])
      .describe('When each of them entered, in the same order; the first segment that has it counts.'),
    next: contactId.nullable(),
  }),
});

export const SegmentMembersCount = defineRequest({
  name: 'segments.count_members',
  version: 1,
  meaning: 'How many members a segment has now; 0 if the account does not have it.',
  request: z.object({ account_id: accountId, segment_id: segmentId }),
  reply: z.object({ members: z.number().int() }),
});

export const SegmentMembersAdd = defineRequest({
  name: 'segments.add_members',
  version: 1,
  meaning:
    'Adds contacts to a static segment and returns a result for each, in the order given. `refused` says why it could not, such as ' +
    'for a dynamic segment. A repeated request by the same `by` has the same results. With `dry_run` it changes nothing.',
  request: z.object({
    account_id: accountId,
    segment_id: segmentId,
    contact_ids: z.array(contactId).max(1_000),
    by: z.string().describe('Who adds them, for the history of the segment: the ID of a credential or of a bulk job.'),
    dry_run: z.boolean().default(false),
    start_workflows: z.boolean().default(true).describe('Whether the change may start runs of workflows.'),
    correlation_id: z.string().optional().describe('The correlation ID of the events that the change publishes; a new one by default.'),
  }),
  reply: z.object({
    refused: z.string().nullable(),
    items: z.array(z.object({ contact_id: contactId, status: z.enum(['added', 'already_member', 'not_found']) })),
  }),
});

export const SegmentMemberChange = defineRequest({
  name: 'segments.change_member',
  version: 1,
  meaning:
    'Adds a contact to a static segment or removes it, for a step of a workflow: once per key. `refused` says why it could not, such as ' +
    'for a dynamic segment. A repeated request has the result of the first one.',
  request: z.object({
    account_id: accountId,
    segment_id: segmentId,
    contact_id: contactId,
    to: z.enum(['inside', 'outside']),
    effect_key: z.string().describe('`run:sequence`; the change is made once per key.'),
    workflow_id: workflowId.describe('The workflow that makes the change, for the history of the segment.'),
    correlation_id: z.string().describe('The correlation ID of the events that the change publishes.'),
  }),
  reply: z.object({ refused: z.string().nullable() }),
});

export const SegmentsExist = defineRequest({
  name: 'segments.exist',
  version: 1,
  meaning:
    'Which of these segments the account does not have, which have no members because they or a segment they refer to failed to build, ' +
    'which are archived and no longer change, which are dynamic, and which publishers the members of the others depend on.',
  request: z.object({ account_id: accountId, segment_ids: z.array(segmentId).max(100) }),
  reply: z.object({
    missing: z.array(segmentId),
    failed: z.array(segmentId).default([]),
    archived: z.array(segmentId).default([]),
    dynamic: z.array(segmentId).default([]),
    sources: z.array(Source).default([...Source.options]),
  }),
});

export const SegmentsCaughtUp = defineRequest({
  name: 'segments.caught_up',
  version: 1,
  meaning:
    'Whether segments has applied every event up to the positions, and whether these segments and those they refer to are built. ' +
    '`caught_up`: their members as of `as_of`, or later, reflect all of it. `behind`: retry, and check with `segments.exist` ' +
    'whether one of them failed. `lost`: a stream was created again, so request new positions.',
  request: z.object({ account_id: accountId, segment_ids: z.array(segmentId).max(200), positions: z.array(Position).max(5) }),
  reply: z.object({ state: z.enum(['caught_up', 'behind', 'lost']), as_of: z.iso.datetime().nullable() }),
});

export const SegmentsApplied = defineRequest({
  name: 'segments.applied',
  version: 1,
  meaning: 'Up to where segments has applied the events of contacts, of all accounts.',
  request: z.object({}),
  reply: z.object({ applied: Position }),
});

export const RuleEvaluated = defineRequest({
  name: 'segments.evaluate',
  version: 1,
  meaning:
    'Whether a contact matches a rule now, given its profile, activities and memberships. `known` is false until segments has applied ' +
    'that revision of the contact and all of the events: retry.',
  request: z.object({
    account_id: accountId,
    contact_id: contactId,
    rule: z.unknown(),
    at_least_revision: z.number().int(),
    after_events: z
      .array(z.string())
      .max(10)
      .default([])
      .describe('Ids of published events of any service that must be applied first. Events that segments does not handle are ignored.'),
  }),
  reply: z.object({ known: z.boolean(), matches: z.boolean() }),
});

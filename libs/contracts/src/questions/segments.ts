import { z } from 'zod';
import { Position } from '../position.ts';
import { defineQuestion } from '../question.ts';
import { Source } from './positions.ts';

export const SegmentMembersPage = defineQuestion(
  'segments.members',
  1,
  'The ids of the members of some segments as of a moment, without repetition, by contact id order.',
  z.object({
    account_id: z.string(),
    segment_ids: z.array(z.string()).min(1).max(100),
    as_of: z.iso.datetime(),
    after: z.string().nullable(),
    limit: z.number().int().min(1).max(5_000),
  }),
  z.object({ contact_ids: z.array(z.string()), next: z.string().nullable() }),
);

export const SegmentsExist = defineQuestion(
  'segments.exist',
  1,
  'Which of these segments the account does not have, which have no known members because building them, or one that they name, failed, and what the members of the others follow from.',
  z.object({ account_id: z.string(), segment_ids: z.array(z.string()).max(100) }),
  z.object({
    missing: z.array(z.string()),
    failed: z.array(z.string()).default([]),
    sources: z.array(Source).default([...Source.options]),
  }),
);

export const SegmentsCaughtUp = defineQuestion(
  'segments.caught_up',
  1,
  'Whether segments has applied every event up to some positions, and whether these segments, and those they name, are built. `caught_up`: their members as of `as_of`, or later, follow from all of it. `behind`: ask again, and `segments.exist` whether one of them failed. `lost`: a stream was made again, so ask for new positions.',
  z.object({ account_id: z.string(), segment_ids: z.array(z.string()).max(200), positions: z.array(Position).max(5) }),
  z.object({ state: z.enum(['caught_up', 'behind', 'lost']), as_of: z.iso.datetime().nullable() }),
);

export const RuleEvaluated = defineQuestion(
  'segments.evaluate',
  1,
  'Whether a rule holds for a contact now, over its profile, activities and memberships. `known` is false while segments has not applied that revision of the contact, or one of the events: ask again.',
  z.object({
    account_id: z.string(),
    contact_id: z.string(),
    rule: z.unknown(),
    at_least_revision: z.number().int(),
    after_events: z
      .array(z.string())
      .max(10)
      .default([])
      .describe(
        'ids of published events, of any service, that have to be applied first; one that segments does not handle holds up nothing',
      ),
  }),
  z.object({ known: z.boolean(), matches: z.boolean() }),
);

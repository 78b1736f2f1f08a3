import { z } from 'zod';
import { Position } from '../position.ts';
import { defineQuestion } from '../question.ts';

const positionQuestion = (service: string) =>
  defineQuestion(
    `${service}.position`,
    1,
    `Where the stream of ${service} ends, once it holds every event of the account that ${service} had confirmed when it was first asked. \`position\` is null until then: ask again with the mark of the reply.`,
    z.object({
      account_id: z.string(),
      mark: z.string().max(1_000).nullable().default(null).describe('of the reply before; it stands for the moment of the first request'),
      after: z.array(Position).max(5).default([]).describe('what the service has to apply first, because events of its own follow from it'),
    }),
    z.object({ position: Position.nullable(), mark: z.string().nullable() }),
  );

/** How each service says where it stands. Asked by `askPositions`. */
export const positionQuestions = {
  contacts: positionQuestion('contacts'),
  leadpulse: positionQuestion('leadpulse'),
  campaigns: positionQuestion('campaigns'),
  workflows: positionQuestion('workflows'),
};
export type PositionQuestion = (typeof positionQuestions)[Publisher];

const Publisher = z.enum(['contacts', 'leadpulse', 'campaigns', 'workflows']);
export type Publisher = z.infer<typeof Publisher>;

/** What the members of a segment follow from. */
export const Source = Publisher.exclude(['workflows']);
export type Source = z.infer<typeof Source>;

/** What is known so far of where publishers stand. It may be kept and completed later. */
export const Whereabouts = z.partialRecord(Publisher, z.object({ position: Position.nullable(), mark: z.string().nullable() }));
export type Whereabouts = z.infer<typeof Whereabouts>;

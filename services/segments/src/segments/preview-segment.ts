import { success } from '@mp/contracts/envelope';
import { newId } from '@mp/ids';
import { Rule } from '@mp/rules/rule';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { Member, memberOf } from '../memberships/member.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import { checkDefinition } from './check-definition.ts';
import { type FindWarnings, Warning } from './find-warnings.ts';
import type { FitDefinition } from './fit-definition.ts';
import type { createPreview } from './preview.ts';
import { segmentBodyLimit } from './segment-body.ts';
import type { SegmentsStore } from './segments-store.ts';

type Deps = {
  segments: SegmentsStore;
  fitDefinition: FitDefinition;
  findWarnings: FindWarnings;
  profiles: ProfilesStore;
  preview: ReturnType<typeof createPreview>;
};

/** Leaves some of the documented two seconds for the rest of the request. */
const budgetMs = 1_500;

const PreviewBody = z.strictObject({ definition: Rule });

const Preview = z
  .object({
    count: z.number().int().describe('How many contacts match. If `exact` is false, estimated from the contacts evaluated.'),
    exact: z.boolean().describe('Whether every contact was evaluated within the time limit.'),
    at_least: z.number().int().describe('The lower bound of the count.'),
    at_most: z.number().int().describe('The upper bound of the count.'),
    scanned: z.number().int().describe('How many contacts were evaluated.'),
    warnings: z.array(Warning).describe('Names in the definition that the account has never used; they may be typos.'),
    samples: z.array(Member.omit({ entered_at: true })).describe('Up to 20 of the matching contacts.'),
  })
  .meta({ id: 'SegmentPreview' });

export function previewSegment(app: Server, { segments, fitDefinition, findWarnings, profiles, preview }: Deps) {
  app.post(
    '/v2/segments/preview',
    {
      config: { scope: 'segments:read', bodyLimit: segmentBodyLimit, reads: true },
      schema: {
        operationId: 'previewSegment',
        summary: 'Preview a segment',
        description: 'Counts and samples the contacts that match a definition now, within two seconds. Nothing is saved.',
        querystring: noQuery,
        body: PreviewBody,
        response: { 200: success(Preview) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const definition = await fitDefinition(accountId, request.body.definition);
      checkDefinition(newId('segment'), 'the preview', definition, await segments.allOf(accountId));
      const { matched, scanned, finished, samples } = await preview(accountId, definition, budgetMs);
      const total = finished ? scanned : Math.max(scanned, await profiles.count(accountId));
      const estimate = scanned === 0 ? 0 : Math.round((matched / scanned) * total);
      return {
        success: true as const,
        data: {
          count: finished ? matched : estimate,
          exact: finished,
          at_least: matched,
          at_most: finished ? matched : matched + total - scanned,
          scanned,
          warnings: await findWarnings(accountId, definition),
          samples: samples.map((profile) => memberOf(profile, new Date(0))),
        },
      };
    },
  );
}

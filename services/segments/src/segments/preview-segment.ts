import { success } from '@mp/contracts/envelope';
import { newId, trustedId } from '@mp/ids';
import { Rule } from '@mp/rules/rule';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors, Position } from '@mp/service-kit/cursor';
import { z } from 'zod';
import { Member, memberOf } from '../profiles/member.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import { checkDefinition } from './check-definition.ts';
import { type FindWarnings, Warning } from './find-warnings.ts';
import type { FitDefinition } from './fit-definition.ts';
import { type createPreview, type Progress, unbegun } from './preview.ts';
import { segmentBodyLimit } from './segment-body.ts';
import type { SegmentsStore } from './segments-store.ts';

type Deps = {
  segments: SegmentsStore;
  fitDefinition: FitDefinition;
  findWarnings: FindWarnings;
  profiles: ProfilesStore;
  preview: ReturnType<typeof createPreview>;
  cursors: Cursors;
  /** The time to evaluate contacts. The default leaves some of the documented two seconds for the rest of the request. */
  budgetMs?: number | undefined;
};

const PreviewBody = z.strictObject({ definition: Rule });

const PreviewQuery = z.strictObject({
  cursor: z
    .string()
    .max(1_024)
    .optional()
    .describe('`next_cursor` of a preview of the same definition that was not exact, to continue it.'),
});

const Preview = z
  .object({
    count: z
      .number()
      .int()
      .describe('How many contacts match. If `exact` is false, a projection of the contacts evaluated so far, which can be far off.'),
    exact: z.boolean().describe('Whether every contact was evaluated. Always true for accounts whose contacts can be evaluated in time.'),
    at_least: z.number().int().describe('The lower bound of the count.'),
    at_most: z.number().int().describe('The upper bound of the count.'),
    scanned: z.number().int().describe('How many contacts were evaluated, with the previews that this one continues.'),
    progress: z.number().describe('The share of contacts that were evaluated, from 0 to 1.'),
    next_cursor: z.string().nullable().describe('The `cursor` with which the next request continues to count; null if the count is exact.'),
    warnings: z.array(Warning).describe('Names in the definition that the account has never used; they may be typos.'),
    samples: z
      .array(Member.omit({ entered_at: true }))
      .describe('Up to 20 of the matching contacts among those that this request evaluated.'),
  })
  .meta({ id: 'SegmentPreview' });

export function previewSegment(app: Server, { segments, fitDefinition, findWarnings, profiles, preview, cursors, budgetMs = 1_500 }: Deps) {
  app.post(
    '/v2/segments/preview',
    {
      config: { scope: 'segments:read', bodyLimit: segmentBodyLimit, reads: true },
      schema: {
        operationId: 'previewSegment',
        summary: 'Preview a segment',
        description:
          'Counts and samples the contacts that match a definition now, within two seconds. If that is not enough for all contacts, ' +
          '`exact` is false: send the request again with `next_cursor` as `cursor` until it is true. Nothing is saved.',
        querystring: PreviewQuery,
        body: PreviewBody,
        response: { 200: success(Preview) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const definition = await fitDefinition(accountId, request.body.definition);
      checkDefinition(newId('segment'), 'the preview', definition, await segments.allOf(accountId));
      const boundTo = ['segment preview', accountId, definition];
      const { cursor } = request.query;
      const begun = cursor === undefined ? unbegun : positionIn(cursors.decode(boundTo, cursor));
      const { matched, scanned, after, finished, samples } = await preview(accountId, definition, { begun, budgetMs });
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
          progress: total === 0 ? 1 : scanned / total,
          next_cursor: finished ? null : cursors.encode(boundTo, positionOf({ matched, scanned, after })),
          warnings: await findWarnings(accountId, definition),
          samples: samples.map((profile) => memberOf(profile, new Date(0))),
        },
      };
    },
  );
}

const positionOf = ({ matched, scanned, after }: Progress): Position => ({ value: `${matched} ${scanned}`, id: after ?? '' });

function positionIn({ value, id }: Position): Progress {
  const [matched = 0, scanned = 0] = String(value).split(' ').map(Number);
  return { matched, scanned, after: id === '' ? null : trustedId<'contact'>(id) };
}

import { page } from '@mp/contracts/envelope';
import { segmentId } from '@mp/contracts/ids';
import { Rule } from '@mp/rules/rule';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { SegmentsStore } from './segments-store.ts';
import type { Version, VersionsStore } from './versions-store.ts';

const SegmentVersion = z
  .object({
    version: z.number().int(),
    definition: Rule.nullable().describe('The rule of this version; null for a static segment.'),
    created_by: z.string().describe('The API key, OAuth client or user that created the version.'),
    created_at: z.iso.datetime(),
    ready_at: z.iso
      .datetime()
      .nullable()
      .describe('When every contact had been evaluated; null: not yet, or the version was replaced before.'),
    members_before: z.number().int().nullable().describe('The number of members before the version was built; null until it is ready.'),
    members_after: z.number().int().nullable().describe('The number of members when it was ready; null until then.'),
  })
  .meta({ id: 'SegmentVersion' });

export function listSegmentVersions(app: Server, { segments, versions }: { segments: SegmentsStore; versions: VersionsStore }) {
  app.get(
    '/v2/segments/:id/versions',
    {
      config: { scope: 'segments:read' },
      schema: {
        operationId: 'listSegmentVersions',
        summary: 'List the versions of a segment',
        description:
          'Returns every definition that the segment has had, newest first: by whom and when it was created, and how many members it had ' +
          'before and after. Restoring an archived segment also creates a version.',
        params: z.object({ id: segmentId }),
        querystring: z.strictObject(listQuery),
        response: { 200: page(SegmentVersion) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id } = await segments.get(accountId, request.params.id);
      const { items, pagination } = await versions.list(accountId, id, request.query);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map(viewOf), pagination } };
    },
  );
}

const viewOf = ({ created_at, ready_at, segment_id, ...version }: Version): z.infer<typeof SegmentVersion> => ({
  ...version,
  created_at: created_at.toISOString(),
  ready_at: ready_at?.toISOString() ?? null,
});

import type { TestContext } from 'node:test';
import { startServiceProcess } from '@mp/test-kit/service-process';

/** The segments service as a separate process that can be killed, with a way to read the members of a segment. */
export async function startSegments(t: TestContext, infra: { mongoUrl: string; natsUrl: string }) {
  const service = await startServiceProcess(t, 'segments', infra);
  return {
    ...service,
    members: async (segmentId: string): Promise<string[]> => {
      const ids: string[] = [];
      for (let cursor = ''; ; ) {
        const { data } = await service.get(`/v2/segments/${segmentId}/contacts?limit=100${cursor && `&cursor=${cursor}`}`);
        ids.push(...data.items.map(({ id }: { id: string }) => id));
        if (!data.pagination.next_cursor) return ids;
        cursor = data.pagination.next_cursor;
      }
    },
  };
}

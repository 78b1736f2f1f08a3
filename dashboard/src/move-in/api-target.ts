import type { Import } from '@marketing-platform/sdk';
import type { Target } from '@mp/move-in/target';
import { type Api, responseData } from '../api/api.ts';
import { RequestFailed } from '../api/errors.ts';

const pollMs = 1_000;
const pause = () => new Promise((resolve) => setTimeout(resolve, pollMs));
const isInProgress = ({ status }: Pick<Import, 'status'>) => ['uploading', 'queued', 'running'].includes(status);

/** The account of the signed-in user. `onImport` is called whenever more rows of an import have been read. */
export const createApiTarget = (api: Api, onImport: (job: Import) => void): Target => {
  const getImport = (id: string) => responseData(api.GET('/v2/contacts/imports/{id}', { params: { path: { id } } }));
  return {
    suppress: (suppressions) =>
      responseData(api.POST('/v2/contacts/suppressions/batch', { body: { suppressions: [...suppressions], start_workflows: false } })),
    createImport: (file, query, idempotencyKey) =>
      responseData(
        api.POST('/v2/contacts/imports', {
          params: { query },
          headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': idempotencyKey },
          body: '',
          bodySerializer: () => file,
        }),
      ),
    getImport,
    async followImport(begun) {
      let job = begun;
      while (isInProgress(job)) {
        onImport(job);
        await pause();
        job = await getImport(job.id);
      }
      return job;
    },
    async importErrors(id) {
      const { data, response } = await api.GET('/v2/contacts/imports/{id}/errors.csv', { params: { path: { id } }, parseAs: 'text' });
      if (data === undefined) throw new RequestFailed(response.status, undefined);
      return data;
    },
    async findStaticSegment(wanted) {
      const { items } = await responseData(api.GET('/v2/segments', { params: { query: { name: wanted } } }));
      return items.find(({ name, kind }) => name === wanted && kind === 'static')?.id;
    },
    createStaticSegment: async (name, idempotencyKey) =>
      (await responseData(api.POST('/v2/segments', { headers: { 'idempotency-key': idempotencyKey }, body: { name, kind: 'static' } }))).id,
    async templateNames() {
      const names: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { limit: 100, ...(cursor !== undefined && { cursor }) };
        const page: { items: { name: string }[]; pagination: { next_cursor: string | null } } = await responseData(
          api.GET('/v2/campaigns/templates', { params: { query } }),
        );
        names.push(...page.items.map(({ name }) => name));
        cursor = page.pagination.next_cursor;
      }
      return names;
    },
    async createTemplate(template) {
      try {
        await responseData(api.POST('/v2/campaigns/templates', { body: template }));
        return undefined;
      } catch (error) {
        // One with this name is there already.
        if (error instanceof RequestFailed && error.status === 409) return undefined;
        if (!(error instanceof RequestFailed) || ![400, 413].includes(error.status)) throw error;
        return error.message;
      }
    },
  };
};

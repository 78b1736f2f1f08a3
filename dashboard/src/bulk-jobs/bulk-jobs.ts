import type { BulkJob, CreateBulkJobRequest } from '@marketing-platform/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';
import { contactsKey } from '../contacts/contacts.ts';
import { emailsPerContact } from './startable-workflows.ts';

export type { BulkJob };
export type BulkRequest = CreateBulkJobRequest['body'];
export type Selection = BulkRequest['select'];

const pollMs = 500;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const isUnfinished = ({ status }: BulkJob) => status === 'queued' || status === 'running';

/** Starts a bulk job and waits until it has ended; `onProgress` gets its state in between. */
export function useBulkJob(onProgress: (job: BulkJob) => void) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: BulkRequest) => ended(api, body, onProgress),
    onSettled: () => queries.invalidateQueries({ queryKey: contactsKey }),
  });
}

/** What a bulk job would do; nothing is changed. */
export function useBulkDryRun(body: BulkRequest | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['bulk dry run', body],
    queryFn: () => {
      if (body === undefined) throw new Error('A dry run needs a job.');
      return ended(api, { ...body, dry_run: true }, () => undefined);
    },
    enabled: body !== undefined,
    gcTime: 0,
    retry: false,
  });
}

/** Starts a bulk job and resolves once it is completed. */
async function ended(api: Api, body: BulkRequest, onProgress: (job: BulkJob) => void): Promise<BulkJob> {
  let job: BulkJob = await responseData(api.POST('/v2/contacts/bulk', { body }));
  while (isUnfinished(job)) {
    onProgress(job);
    await pause(pollMs);
    job = await responseData(api.GET('/v2/contacts/bulk/{id}', { params: { path: { id: job.id } } }));
  }
  if (job.status !== 'completed') throw new Error(job.error?.message ?? 'The bulk job was cancelled.');
  return job;
}

/** Cancels a bulk job; what it has done stays. */
export function useCancelBulkJob() {
  const api = useApi();
  return useMutation({
    mutationFn: (id: string) => responseData(api.POST('/v2/contacts/bulk/{id}/cancel', { params: { path: { id } }, body: {} })),
  });
}

/** The most emails that one run of the workflow sends in its first hour. */
export function useEmailsPerContact(workflowId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['workflow', workflowId, 'emails per contact'],
    queryFn: ({ signal }) => emailsPerContact(api, workflowId, signal),
    enabled: workflowId !== '',
  });
}

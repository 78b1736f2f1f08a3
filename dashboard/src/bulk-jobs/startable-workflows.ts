import { useQuery } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';

const triggers = ['contact_created', 'contact_updated', 'segment_entered', 'segment_left'] as const;

/** An active workflow that changes of contacts start. */
export type Startable = {
  id: string;
  name: string;
  trigger: (typeof triggers)[number];
  segmentId: string | undefined;
  /** The most emails that one run sends in its first hour. */
  emailsPerContact: number;
};

/** The newest 100 workflows are looked at. */
export function useStartableWorkflows() {
  const api = useApi();
  return useQuery({
    queryKey: ['workflows', 'startable'],
    queryFn: async ({ signal }): Promise<Startable[]> => {
      const query = { status: 'active' as const, limit: 100 };
      const { items } = await responseData(api.GET('/v2/workflows', { params: { query }, signal }));
      const found = items.flatMap(({ id, name, trigger: { type, ...of } }) => {
        const trigger = triggers.find((one) => one === type);
        return trigger ? [{ id, name, trigger, segmentId: 'segment_id' in of ? of.segment_id : undefined }] : [];
      });
      return Promise.all(found.map(async (one) => ({ ...one, emailsPerContact: await emailsPerContact(api, one.id, signal) })));
    },
  });
}

/** The most emails that one run of the workflow sends in its first hour. */
export async function emailsPerContact(api: Api, id: string, signal: AbortSignal): Promise<number> {
  const { emails_per_contact } = await responseData(api.GET('/v2/workflows/{id}/activation', { params: { path: { id } }, signal }));
  return emails_per_contact;
}

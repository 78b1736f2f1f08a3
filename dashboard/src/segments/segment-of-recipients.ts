import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { responseData, useApi } from '../api/api.ts';
import { RequestFailed } from '../api/errors.ts';
import type { Definition } from './segments.ts';

type Activity = 'sent' | 'opened' | 'clicked' | 'bounced' | 'refused' | 'unsubscribed' | 'converted';
type Audience = { name: string; did: Activity; didNot?: Activity };

/** Which recipients of a campaign or a workflow a segment can contain. */
export const audiences: readonly Audience[] = [
  { name: 'Opened it', did: 'opened' },
  { name: "Didn't open it", did: 'sent', didNot: 'opened' },
  { name: 'Clicked a link', did: 'clicked' },
  { name: "Opened it, but didn't click", did: 'opened', didNot: 'clicked' },
  { name: 'Bought or converted', did: 'converted' },
  { name: 'Bounced', did: 'bounced' },
  { name: 'Refused by the mail server', did: 'refused' },
  { name: 'Unsubscribed', did: 'unsubscribed' },
];

const maxNameLength = 200;

/** Creates the segment and opens it; if one with this name exists, opens that. */
export function useSegmentFrom({ id: campaign, name: campaignName }: { id: string; name: string }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async ({ name, did, didNot }: Audience) => {
      const all: Definition[] = [{ campaign, activity: did }];
      if (didNot) all.push({ campaign, activity: didNot, count: { eq: 0 } });
      const body = { name: `${campaignName}: ${name.toLowerCase()}`.slice(0, maxNameLength), definition: { all } };
      try {
        return (await responseData(api.POST('/v2/segments', { body }))).id;
      } catch (error) {
        const existing = error instanceof RequestFailed && error.code === 'CONFLICT' ? error.details[0]?.existing_id : undefined;
        if (typeof existing === 'string') return existing;
        throw error;
      }
    },
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ['segments'] });
      await navigate({ to: '/segments/$id', params: { id } });
    },
    onError: (error) => notifications.show({ color: 'red', title: "Couldn't create the segment", message: error.message }),
  });
}

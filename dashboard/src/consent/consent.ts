import type { ChangeConsentRequest, ConsentEntry } from '@marketing-platform/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { type Contact, contactKey } from '../contacts/contacts.ts';
import { useList } from '../lists/use-list.ts';
import { timelineKey } from '../timeline/timeline.ts';

export type { ConsentEntry };
export type Consent = NonNullable<Contact['consent']['email']>;
export type ConsentChange = NonNullable<ChangeConsentRequest['body']>;
export type Channel = ConsentEntry['channel'];

export const statuses: Record<Consent['status'], string> = {
  subscribed: 'Subscribed',
  pending: 'Pending confirmation',
  unsubscribed: 'Unsubscribed',
};
export const methods: Record<Consent['method'], string> = {
  api: 'via the API',
  form: 'via a form',
  import: 'via an import',
  double_opt_in: 'via double opt-in',
  link: 'via a link in an email',
};
export const channels: Record<Channel, string> = { email: 'Email', sms: 'SMS' };

const logKey = (contactId: string) => ['consent-log', contactId];

export function useConsentLog(contactId: string) {
  const api = useApi();
  return useList({
    queryKey: logKey(contactId),
    page: (at, signal) =>
      responseData(api.GET('/v2/contacts/{id}/consent/log', { params: { path: { id: contactId }, query: at }, signal })),
  });
}

/** Changes the consent of the revision that was loaded; rejected if the contact has changed since. */
export function useChangeConsent({ id, revision }: Pick<Contact, 'id' | 'revision'>) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: ConsentChange) =>
      responseData(
        api.PUT('/v2/contacts/{id}/consent', { params: { path: { id } }, body: change, headers: { 'if-match': `"${revision}"` } }),
      ),
    onSettled: () => Promise.all([contactKey(id), logKey(id), timelineKey(id)].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}

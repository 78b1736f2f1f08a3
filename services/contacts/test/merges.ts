import type { Client } from '@mp/test-kit/client';

export const ada = { email: 'ada@example.com', first_name: 'Ada', tags: ['a', 'both'], attributes: { plan: 'pro', seats: 1 } };
export const adele = {
  email: 'adele@example.com',
  phone: '+4930901820',
  external_id: 'crm-2',
  first_name: 'Adele',
  last_name: 'L',
  address: { city: 'Berlin' },
  tags: ['both', 'b'],
  attributes: { plan: 'free', langs: ['en'] },
  consent: { email: { status: 'unsubscribed' }, sms: { status: 'subscribed' } },
};

export const merge = (account: Client, id: string, sourceId: string, headers = {}) =>
  account.post(`/v2/contacts/${id}/merge`, { source_id: sourceId }, headers);

export const undo = (account: Client, id: string, mergeId: string) => account.post(`/v2/contacts/${id}/merges/${mergeId}/undo`);

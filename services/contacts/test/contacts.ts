import type { Client } from '@mp/test-kit/client';

export const findContact = async (account: Client, email: string) =>
  (await account.get(`/v2/contacts?email=${encodeURIComponent(email)}`)).data.items[0];

export const countContacts = async (account: Client) =>
  (await account.get('/v2/contacts?limit=1&include=total_count')).data.pagination.total_count;

import type { Client } from '@mp/test-kit/client';

export const createContact = async (account: Client, body: object) => (await account.post('/v2/contacts', body)).data;

export const readContact = async (account: Client, id: string) => (await account.get(`/v2/contacts/${id}`)).data;

export const findContact = async (account: Client, email: string) =>
  (await account.get(`/v2/contacts?email=${encodeURIComponent(email)}`)).data.items[0];

export const countContacts = async (account: Client) =>
  (await account.get('/v2/contacts?limit=1&include=total_count')).data.pagination.total_count;

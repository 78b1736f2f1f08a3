import { test } from 'node:test';
import type { Contact } from '@marketing-platform/sdk';
import { type Api, responseData } from './api.ts';

// Checked by `npm run types`; nothing runs.
const check = async (api: Api) => {
  const { data, error } = await api.GET('/v2/contacts/{id}', { params: { path: { id: 'contact_1' } } });
  const contact: Contact | undefined = data?.data;
  const message: string | undefined = error?.error.message;
  // @ts-expect-error a field that responses do not have
  contact?.mail;
  // @ts-expect-error a field that errors do not have
  error?.reason;
  // @ts-expect-error another type than the response has
  const segment: { definition: unknown } = await responseData(api.GET('/v2/contacts/{id}', { params: { path: { id: 'contact_1' } } }));

  // @ts-expect-error a path that does not exist
  await api.GET('/v2/contact');
  // @ts-expect-error a method that the path does not have
  await api.DELETE('/v2/contacts');
  // @ts-expect-error the ID of the path is required
  await api.GET('/v2/contacts/{id}');

  await api.GET('/v2/contacts', { params: { query: { tag: 'vip', limit: 10 } } });
  // @ts-expect-error an unknown query parameter
  await api.GET('/v2/contacts', { params: { query: { tags: 'vip' } } });
  // @ts-expect-error a query parameter of another type
  await api.GET('/v2/contacts', { params: { query: { limit: 'ten' } } });

  await api.POST('/v2/segments', { body: { name: 'VIPs', kind: 'static' } });
  // @ts-expect-error a field of another type
  await api.POST('/v2/segments', { body: { name: 1 } });
  // @ts-expect-error a required field is missing
  await api.POST('/v2/segments', { body: {} });
  // @ts-expect-error the body is required
  await api.POST('/v2/segments');
  // @ts-expect-error an operation without a body
  await api.GET('/v2/contacts', { body: { name: 'VIPs' } });
  return { message, segment };
};

test('paths, queries, bodies and responses have the types of the API', () => void check);

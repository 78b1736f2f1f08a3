import type { Attribute, AttributeList } from '@marketing-platform/sdk';
import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';

/** The type of an attribute, declared by its first value. */
export type DeclaredType = Attribute['type'];

type AttributePage = AttributeList;

const none: ReadonlyMap<string, DeclaredType> = new Map();

/** The attributes of the account with their types; empty until they are loaded. */
export function useDeclaredTypes(): ReadonlyMap<string, DeclaredType> {
  const api = useApi();
  const { data = none } = useQuery({
    queryKey: ['attributes'],
    queryFn: async ({ signal }) => {
      const types = new Map<string, DeclaredType>();
      let cursor: string | null = null;
      do {
        const query: { limit: number; cursor?: string } = { limit: 100, ...(cursor !== null && { cursor }) };
        const { items, pagination }: AttributePage = await responseData(api.GET('/v2/contacts/attributes', { params: { query }, signal }));
        for (const { key, type } of items) types.set(key, type);
        cursor = pagination.next_cursor;
      } while (cursor !== null);
      return types;
    },
    staleTime: 60_000,
  });
  return data;
}

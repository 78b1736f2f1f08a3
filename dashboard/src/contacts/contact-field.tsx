import { Autocomplete, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { nameOf } from './contacts.ts';

type Props = {
  label: string;
  description: string;
  placeholder: string;
  /** An email address, an ID, or the typed part of a name. */
  value: string;
  onChange: (value: string) => void;
};

const limit = 8;
const debounceMs = 150;

/** A contact by email or ID; suggests those with the words that are typed. */
export function ContactField({ value, ...field }: Props) {
  const api = useApi();
  const [q] = useDebouncedValue(value.trim(), debounceMs);
  const { data } = useQuery({
    queryKey: ['found', 'contacts', q],
    queryFn: ({ signal }) => responseData(api.GET('/v2/contacts', { params: { query: { q, limit } }, signal })),
    placeholderData: keepPreviousData,
    enabled: q !== '' && !q.startsWith('contact_'),
  });
  const names = new Map((q === '' ? [] : (data?.items ?? [])).map((contact) => [contact.email ?? contact.id, nameOf(contact)]));
  return (
    <Autocomplete
      {...field}
      autoComplete="off"
      data={[...names.keys()]}
      // The API has searched.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{names.get(option.value)}</Text>
          <Text size="xs" c="dimmed">
            {option.value}
          </Text>
        </div>
      )}
      value={value}
    />
  );
}

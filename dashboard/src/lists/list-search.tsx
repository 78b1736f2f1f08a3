import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';

type Props = {
  placeholder: string;
  /** What the list is searched for. */
  q: string | undefined;
  /** Called with an empty text to end the search. */
  onSearch: (q: string) => void;
};

/** The API's limit. */
const maxLength = 100;

/** The search of a list, by the Enter key. */
export function ListSearch({ placeholder, q = '', onSearch }: Props) {
  const [text, setText] = useState(q);
  const [searched, setSearched] = useState(q);
  if (q !== searched) {
    setSearched(q);
    setText(q);
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(text.trim());
  };
  return (
    <search>
      <form onSubmit={submit}>
        <TextInput
          type="search"
          label="Search"
          placeholder={placeholder}
          maxLength={maxLength}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          rightSection={q !== '' && <CloseButton size="sm" aria-label="Clear search" onClick={() => onSearch('')} />}
        />
      </form>
    </search>
  );
}

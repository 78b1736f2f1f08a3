import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type FormEvent, useRef, useState } from 'react';
import classes from './chips.module.css';

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
  const input = useRef<HTMLInputElement>(null);
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
  const clear = () => {
    // The button disappears.
    input.current?.focus();
    onSearch('');
  };
  return (
    <search className={classes.search}>
      <form onSubmit={submit}>
        <TextInput
          ref={input}
          type="search"
          aria-label="Search"
          size="xs"
          placeholder={placeholder}
          maxLength={maxLength}
          leftSection={<IconSearch size={14} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          rightSection={q !== '' && <CloseButton size="sm" aria-label="Clear search" onClick={clear} />}
        />
      </form>
    </search>
  );
}

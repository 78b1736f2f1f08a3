import { Kbd, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { searchKeys } from '../navigation/use-shortcuts.ts';
import classes from './search-button.module.css';

/** Opens the palette. */
export const SearchButton = ({ onClick }: { onClick: () => void }) => (
  <UnstyledButton className={classes.search} onClick={onClick} aria-keyshortcuts="Control+K Meta+K">
    <IconSearch size={16} stroke={1.7} aria-hidden />
    Search
    <Kbd size="xs" className={classes.keys} aria-hidden>
      {searchKeys}
    </Kbd>
  </UnstyledButton>
);

import { defaultOptionsFilter, type OptionsFilter } from '@mantine/core';

/** What matches the typed text, unless that is only the text itself: its list would only cover what is below the field. */
export const otherSuggestions: OptionsFilter = (input) => {
  const found = defaultOptionsFilter(input);
  const [only] = found;
  const isTyped = found.length === 1 && only !== undefined && 'value' in only && only.value === input.search;
  return isTyped ? [] : found;
};

import type { OptionsFilter } from '@mantine/core';
import { defaultOptionsFilter } from '@mantine/core';

type Options = ReturnType<OptionsFilter>;

/** What matches the typed text, unless that is only the text itself: its list would only cover what is below the field. */
export const otherSuggestions: OptionsFilter = ({ options, search, limit }): Options => {
  const matching = new Set<unknown>(defaultOptionsFilter({ options, search, limit }));
  const found = options.filter((one) => matching.has(one));
  const [only] = found;
  return found.length === 1 && only !== undefined && 'value' in only && only.value === search ? [] : found;
};

import type { OptionsFilter } from '@mantine/core';

type Options = ReturnType<OptionsFilter>;

/** `order placed` finds `order_placed`. */
const plain = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[_.-]+/g, ' ');

/** What matches the typed text, unless that is only the text itself: its list would only cover what is below the field. */
export const otherSuggestions: OptionsFilter = ({ options, search, limit }): Options => {
  const found = options.filter((one) => 'label' in one && plain(one.label).includes(plain(search))).slice(0, limit);
  const [only] = found;
  return found.length === 1 && only !== undefined && 'value' in only && only.value === search ? [] : found;
};

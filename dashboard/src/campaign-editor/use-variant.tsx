import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Campaign } from '../campaigns/campaigns.ts';

/** The chosen variant of an A/B test, and the field that chooses it; undefined and null without a test. */
export function useVariant({ ab_test }: Pick<Campaign, 'ab_test'>, label: string) {
  const [chosen, setChosen] = useState<string>();
  const ids = ab_test?.variants.map(({ id }) => id) ?? [];
  // The chosen variant may have been removed.
  const variant = ids.find((id) => id === chosen) ?? ids[0];
  const field = ab_test && (
    <NativeSelect
      size="xs"
      aria-label={label}
      data={ids.map((id) => ({ value: id, label: `Variant ${id.toUpperCase()}` }))}
      value={variant}
      onChange={(event) => setChosen(event.currentTarget.value)}
    />
  );
  return { variant, field };
}

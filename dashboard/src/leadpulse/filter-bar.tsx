import { Group } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { ButtonLink } from '../page/button-link.tsx';
import { dimensions, filtersIn, type TrafficSearch, valueText, withoutFilters } from './leadpulse-search.ts';

/** The filters of a view, each a link to the view without it. */
export function FilterBar({ search }: { search: TrafficSearch }) {
  const filters = filtersIn(search);
  if (filters.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      {filters.map(({ dimension, value }) => {
        const text = `${dimensions[dimension]}: ${valueText(dimension, value)}`;
        return (
          <ButtonLink
            key={dimension}
            to="/leadpulse"
            search={withoutFilters(search, dimension)}
            resetScroll={false}
            variant="light"
            size="xs"
            rightSection={<IconX size={14} aria-hidden />}
            aria-label={`Remove the filter ${text}`}
          >
            {text}
          </ButtonLink>
        );
      })}
      {filters.length > 1 && (
        <ButtonLink to="/leadpulse" search={withoutFilters(search)} resetScroll={false} variant="subtle" size="xs">
          Clear filters
        </ButtonLink>
      )}
    </Group>
  );
}

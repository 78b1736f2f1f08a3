import { Alert, Group, Loader, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { counted } from '../numbers/format-number.ts';
import type { Site } from './sites.ts';

/** Whether an event of a website has arrived, and until then, what to do. */
export const FirstEvent = ({ site }: { site: Site }) =>
  site.first_event_at ? (
    <Alert color="green" variant="light" role="status" icon={<IconCheck aria-hidden />}>
      We have seen your first event.
    </Alert>
  ) : (
    <Group gap="xs" role="status" wrap="nowrap" align="start">
      <Loader size="xs" mt={3} aria-hidden />
      <Text size="sm" c="dimmed">
        Waiting for the first event. Open one of your pages with the snippet, at {site.origins.join(' or ')}, in a browser without an ad
        blocker or Do Not Track.
        {site.excluded_events > 0 &&
          ` ${counted(site.excluded_events, 'event', 'events')} came from your internal traffic, which is not counted: use another network, such as your phone's.`}
      </Text>
    </Group>
  );

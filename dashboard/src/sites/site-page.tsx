import { Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Loaded } from '../api/loaded.tsx';
import { CommandLine } from '../clipboard/command-line.tsx';
import { counted } from '../numbers/format-number.ts';
import { TextLink } from '../page/button-link.tsx';
import { DescriptionList } from '../page/description-list.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { FirstEvent } from './first-event.tsx';
import { SiteActions } from './site-actions.tsx';
import { Snippet } from './site-snippet.tsx';
import { type Site, useSite } from './sites.ts';

/** One website: its snippet, whether its events arrive, and its settings. */
export function SitePage() {
  const { id } = useParams({ from: '/signed-in/leadpulse/websites/$id' });
  const query = useSite(id);
  const { data: site } = query;
  const { mayWrite } = usePermission('leadpulse');
  return (
    <Page
      title={site?.name ?? 'Website'}
      back={<BackLink to="/leadpulse/websites">Websites</BackLink>}
      action={site && mayWrite && <SiteActions site={site} />}
    >
      <Loaded of="the website" query={query}>
        {(loaded) => <About site={loaded} />}
      </Loaded>
    </Page>
  );
}

const About = ({ site }: { site: Site }) => (
  <Stack gap="lg">
    <Panel title="Installation">
      <Stack gap="md">
        <FirstEvent site={site} />
        <Snippet site={site} />
        <Text size="sm" c="dimmed">
          If your website has a Content-Security-Policy, allow <code>{window.location.origin}</code> in <code>script-src</code> and{' '}
          <code>connect-src</code>.
        </Text>
      </Stack>
    </Panel>
    <Panel title="Your own visits">
      <Stack gap="md">
        <Text size="sm">
          To exclude your visits on this browser, open your website in it, open its developer tools (F12), and run this line in the Console.
          Do this once for each website address.
        </Text>
        <CommandLine label="Exclude my visits">mp('exclude')</CommandLine>
        <Text size="sm" c="dimmed">
          <code>mp('exclude', false)</code> counts them again. Visits from your office can be excluded by its IP addresses, as internal
          traffic in the{' '}
          <TextLink to="/leadpulse/settings" underline="always">
            tracking settings
          </TextLink>
          .
        </Text>
      </Stack>
    </Panel>
    <Panel title="Settings">
      <DescriptionList
        items={{
          'Website addresses': site.origins.join(', '),
          'Last event': site.last_event_at && <RelativeTime at={site.last_event_at} />,
          'First event': site.first_event_at && <RelativeTime at={site.first_event_at} />,
          'Internal traffic': site.excluded_events > 0 ? `${counted(site.excluded_events, 'event')} not counted` : null,
          'Dropped in browsers': site.dropped_events > 0 ? counted(site.dropped_events, 'event') : null,
          'Maximum per day': counted(site.max_events_per_day, 'event'),
          'Publishable key': <code>{site.publishable_key}</code>,
          Script: <code>{site.snippet.path}</code>,
          Integrity: <code>{site.snippet.integrity}</code>,
          Created: <RelativeTime at={site.created_at} />,
          ID: <code>{site.id}</code>,
        }}
      />
    </Panel>
  </Stack>
);

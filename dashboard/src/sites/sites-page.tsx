import { useDisclosure } from '@mantine/hooks';
import { IconWorld } from '@tabler/icons-react';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { Status } from '../page/status.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { CreateSite, CreateSiteButton } from './create-site.tsx';
import { type Site, useSites } from './sites.ts';

/** LeadPulse → Websites. */
export function SitesPage() {
  const sites = useSites();
  const [isAdding, adding] = useDisclosure(false);
  return (
    <ListPage
      title="Websites"
      describes="The websites that LeadPulse tracks."
      action={sites.rows.length > 0 && <CreateSiteButton onClick={adding.open} />}
      of="websites"
      list={sites}
      columns={columns}
      empty={
        <EmptyState title="No websites yet" icon={IconWorld} action={<CreateSiteButton onClick={adding.open} />}>
          Add your website and paste one line into its pages to see who visits them and what they do.
        </EmptyState>
      }
    >
      <CreateSite opened={isAdding} onClose={adding.close} />
    </ListPage>
  );
}

const columns: readonly Column<Site>[] = [
  {
    name: 'Name',
    width: 'minmax(0, 2fr)',
    cell: ({ id, name, origins }) => (
      <RowLink to="/leadpulse/websites/$id" params={{ id }} under={origins.join(', ')}>
        {name}
      </RowLink>
    ),
  },
  { name: 'Last event', width: 'minmax(120px, 1fr)', cell: (site) => <LastEvent site={site} /> },
  { name: 'Created', width: '138px', wideOnly: true, cell: ({ created_at }) => <RelativeTime at={created_at} /> },
];

const LastEvent = ({ site: { last_event_at } }: { site: Site }) =>
  last_event_at ? <RelativeTime at={last_event_at} /> : <Status tone="warn">None yet</Status>;

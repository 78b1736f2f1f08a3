import { IconPlugConnected } from '@tabler/icons-react';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import { ButtonLink } from '../page/button-link.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { BackLink } from '../page/page.tsx';
import { Status } from '../page/status.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { type SegmentCall, useSegmentCalls } from './segment-calls.ts';
import classes from './segment-calls-page.module.css';

const statuses = {
  accepted: { tone: 'good', name: 'Accepted' },
  duplicate: { tone: 'over', name: 'Duplicate' },
  dropped: { tone: 'bad', name: 'Dropped' },
} as const;

const sources = { site: 'Website', api_key: 'API key' } as const;

const columns: readonly Column<SegmentCall>[] = [
  {
    name: 'Call',
    width: 'minmax(0, 1.2fr)',
    cell: ({ type, event, message_id }) => (
      <>
        <span className={classes.line}>{event === null ? type : `${type}: ${event}`}</span>
        <span className={classes.under}>{message_id}</span>
      </>
    ),
  },
  {
    name: 'Status',
    width: '112px',
    cell: ({ status }) => <Status tone={statuses[status].tone}>{statuses[status].name}</Status>,
  },
  { name: 'What was not taken', width: 'minmax(0, 2fr)', cell: ({ reason, notes }) => reason ?? notes.join(' ') },
  {
    name: 'Source',
    width: 'minmax(0, 1fr)',
    wideOnly: true,
    cell: ({ source, library }) => (
      <>
        <span className={classes.line}>{sources[source.type]}</span>
        <span className={classes.under}>{library}</span>
      </>
    ),
  },
  { name: 'Received', width: '138px', wideOnly: true, cell: ({ received_at }) => <RelativeTime at={received_at} /> },
];

/** The latest calls of programs with a Segment library, and what became of each. */
export function SegmentCallsPage() {
  const calls = useSegmentCalls();
  return (
    <ListPage
      title="Segment calls"
      describes="The last 1,000 calls that Segment's libraries sent, newest first. They are kept for seven days."
      back={<BackLink to="/leadpulse/settings">Tracking settings</BackLink>}
      of="calls"
      list={calls}
      columns={columns}
      empty={
        <EmptyState
          title="No calls yet"
          icon={IconPlugConnected}
          action={
            <ButtonLink to="/leadpulse/websites" variant="default">
              Websites
            </ButtonLink>
          }
        >
          Point a Segment library at this server: in pages, with the publishable key of a website; on servers, with an API key. Its calls
          appear here with what became of each.
        </EmptyState>
      }
    />
  );
}

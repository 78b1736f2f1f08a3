import { Group, NativeSelect, Text, Title } from '@mantine/core';
import { IconTimelineEvent } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import type { Contact } from '../contacts/contacts.ts';
import type { Column } from '../lists/list-table.tsx';
import { ListView } from '../lists/list-view.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { useNames } from '../names/names.ts';
import { EmptyState } from '../page/empty-state.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import classes from './timeline.module.css';
import { type TimelineEntry, type TimelineKind, timelineKinds, useTimeline } from './timeline.ts';
import { TimelineIcon } from './timeline-icon.tsx';
import { type TimelineTarget, timelineLabel } from './timeline-labels.ts';

/** `campaignName`: undefined until it is loaded. */
const columnsWith = (campaignName: (id: string) => string | undefined): readonly Column<TimelineEntry>[] => [
  {
    name: 'Activity',
    width: 'minmax(0, 2fr)',
    cell: (entry) => {
      const { what, target } = timelineLabel(entry);
      return (
        <span className={classes.entry}>
          <TimelineIcon entry={entry} />
          <span className={classes.what}>
            {target ? (
              <Leading target={target} contactId={entry.contact_id}>
                {what}
              </Leading>
            ) : (
              what
            )}
          </span>
        </span>
      );
    },
  },
  {
    name: 'Details',
    width: 'minmax(0, 1.4fr)',
    wideOnly: true,
    cell: (entry) => {
      const { more, target } = timelineLabel(entry);
      return [target?.page === 'campaign' && campaignName(target.id), more].filter(Boolean).join(', ');
    },
  },
  { name: 'When', width: '138px', cell: ({ at }) => <RelativeTime at={at} /> },
];

/** A contact's activity from all services, newest first. */
export function ContactTimeline({ contact, action }: { contact: Pick<Contact, 'id'>; action?: ReactNode }) {
  const [kind, setKind] = useState<TimelineKind>();
  const timeline = useTimeline(contact.id, kind);
  const id = useId();
  const { campaigns } = useNames();
  const names = new Map(campaigns.map((campaign) => [campaign.id, campaign.name]));

  return (
    <section aria-labelledby={id}>
      <header className={classes.head}>
        <Title order={2} size="h5" id={id}>
          Timeline
        </Title>
        <Group gap="sm">
          {action}
          <NativeSelect
            size="xs"
            aria-label="Type"
            data={[{ value: '', label: 'All activity' }, ...timelineKinds.map((one) => ({ value: one.kind, label: one.name }))]}
            value={kind ?? ''}
            onChange={(event) => setKind(timelineKinds.find((one) => one.kind === event.currentTarget.value)?.kind)}
          />
        </Group>
      </header>
      <ListView
        of="timeline"
        list={timeline}
        columns={columnsWith((campaignId) => names.get(campaignId))}
        keyOf={(entry) => entry.id}
        empty={kind === undefined ? <NothingYet /> : <Nothing />}
      />
    </section>
  );
}

const Nothing = () => (
  <Text size="sm" c="dimmed">
    No activity of this type in the last 400 days.
  </Text>
);

const NothingYet = () => (
  <EmptyState title="No activity yet" icon={IconTimelineEvent}>
    Everything that happens with this contact appears here: visits, emails, consent, segments and workflows.
  </EmptyState>
);

type LeadingProps = { target: TimelineTarget; contactId: string; children: ReactNode };

function Leading({ target: { page, id }, contactId, children }: LeadingProps) {
  switch (page) {
    case 'campaign':
      return (
        <RowLink to="/campaigns/$id/messages/$contactId" params={{ id, contactId }}>
          {children}
        </RowLink>
      );
    case 'workflow':
      return (
        <RowLink to="/workflows/$id" params={{ id }}>
          {children}
        </RowLink>
      );
    case 'segment':
      return (
        <RowLink to="/segments/$id" params={{ id }}>
          {children}
        </RowLink>
      );
    case 'run':
      return (
        <RowLink to="/workflows/runs/$runId" params={{ runId: id }}>
          {children}
        </RowLink>
      );
    case 'visitors':
      return (
        <RowLink to="/leadpulse/visitors" search={{ contact_id: id }}>
          {children}
        </RowLink>
      );
  }
}

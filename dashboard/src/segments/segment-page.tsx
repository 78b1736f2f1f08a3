import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconGitBranch, IconMail } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { Loaded } from '../api/loaded.tsx';
import { StartWorkflow } from '../bulk-jobs/start-workflow.tsx';
import { CommentsPanel } from '../comments/comments-panel.tsx';
import { ContactStatus } from '../contacts/contact-status.tsx';
import { nameOf } from '../contacts/contacts.ts';
import { Tags } from '../contacts/tags.tsx';
import type { Column } from '../lists/list-table.tsx';
import { ListView } from '../lists/list-view.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { useNames } from '../names/names.ts';
import { count } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { RuleTree } from '../rules/rule-tree.tsx';
import { RuleWarnings } from '../rules/rule-warnings.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { ArchiveSegment } from './archive-segment.tsx';
import { DeleteSegment } from './delete-segment.tsx';
import { FindMembership } from './find-membership.tsx';
import { MembersBacklog } from './members-backlog.tsx';
import { SegmentChanges } from './segment-changes.tsx';
import { SegmentStatus } from './segment-status.tsx';
import { SegmentVersions } from './segment-versions.tsx';
import { type DefinedSegment, type SegmentMember, useMembers, useSegment } from './segments.ts';
import { SizeOverTime, useChangeOfSize } from './size-over-time.tsx';
import { StaticMembers } from './static-members.tsx';

export function SegmentPage() {
  const { id } = useParams({ from: '/signed-in/segments/$id' });
  const query = useSegment(id);
  const { data: segment } = query;
  const { mayWrite } = usePermission('segments');
  return (
    <Page
      title={segment?.name ?? 'Segment'}
      describes={segment?.description}
      back={<BackLink to="/segments">Segments</BackLink>}
      action={
        segment &&
        mayWrite && (
          <Group gap="sm">
            {segment.archived_at === null && (
              <>
                <ButtonLink to="/campaigns/new" search={{ segment: id }} leftSection={<IconMail size={16} aria-hidden />}>
                  Send a campaign
                </ButtonLink>
                <WorkflowMenu segment={segment} />
              </>
            )}
            <ButtonLink to="/segments/$id/edit" params={{ id }} variant="default">
              Edit
            </ButtonLink>
            <ArchiveSegment segment={segment} />
            <DeleteSegment segment={segment} />
          </Group>
        )
      }
    >
      <Loaded of="the segment" shape="report" query={query}>
        {(loaded) => <About segment={loaded} />}
      </Loaded>
    </Page>
  );
}

/** A workflow for those who enter later, or a run of one for each member of now. */
function WorkflowMenu({ segment: { id, name } }: { segment: DefinedSegment }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconGitBranch size={16} aria-hidden />}
            rightSection={<IconChevronDown size={16} aria-hidden />}
          >
            Workflow
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item renderRoot={(props) => <Link {...props} to="/workflows/new" search={{ segment: id }} />}>
            Workflow for new members
          </Menu.Item>
          <Menu.Item onClick={open}>Enroll in a workflow…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {opened && <StartWorkflow select={{ segment_id: id }} whom={`the members of ${name}`} onClose={close} />}
    </>
  );
}

const columnsIn = (segmentId: string): readonly Column<SegmentMember>[] => [
  {
    name: 'Contact',
    width: 'minmax(0, 2fr)',
    cell: (member) => (
      <RowLink
        to="/segments/$id/contacts/$contactId"
        params={{ id: segmentId, contactId: member.id }}
        under={nameOf(member) === member.email ? null : member.email}
      >
        {nameOf(member)}
      </RowLink>
    ),
  },
  { name: 'Tags', width: 'minmax(0, 1.4fr)', wideOnly: true, cell: ({ tags }) => <Tags tags={tags} /> },
  { name: 'Status', width: '150px', wideOnly: true, cell: ({ status }) => <ContactStatus status={status} /> },
  { name: 'Entered', width: '138px', cell: ({ entered_at }) => <RelativeTime at={entered_at} /> },
];

function About({ segment }: { segment: DefinedSegment }) {
  const members = useMembers(segment);
  const { named } = useNames();
  const { mayWrite } = usePermission('segments');
  const change = useChangeOfSize(segment);
  return (
    <Stack gap="lg">
      <Metrics label="At a glance">
        <Metric label="Contacts" value={segment.status === 'building' ? 'Counting…' : count(segment.count)} />
        <Metric
          label="Status"
          value={segment.archived_at ? 'Archived' : <SegmentStatus status={segment.status} />}
          under={segment.evaluated_at && <RelativeTime at={segment.evaluated_at} />}
        />
        <Metric label="Change in 30 days" value={change} />
      </Metrics>
      <RuleWarnings warnings={segment.warnings} />
      {!segment.definition && mayWrite && segment.archived_at === null && (
        <Panel title="Add and remove contacts">
          <StaticMembers segment={segment} />
        </Panel>
      )}
      <SizeOverTime segment={segment} />
      {segment.definition && (
        <Panel
          title="Conditions"
          action={
            <Text size="sm" c="dimmed">
              Version {count(segment.version)}
            </Text>
          }
        >
          <RuleTree rule={segment.definition} named={named} />
        </Panel>
      )}
      {segment.archived_at === null && <MembersBacklog segment={segment} />}
      <Panel title="Members">
        <ListView
          of="members"
          list={members}
          columns={columnsIn(segment.id)}
          keyOf={({ id }) => id}
          empty={
            <Text c="dimmed" size="sm">
              {segment.status === 'building' ? 'Evaluating every contact. Members appear when this is done.' : 'No contacts match now.'}
            </Text>
          }
        />
      </Panel>
      <Panel title="Check a contact">
        <FindMembership segmentId={segment.id} />
      </Panel>
      <SegmentChanges segment={segment} />
      {segment.definition && <SegmentVersions segment={segment} named={named} />}
      <CommentsPanel resource_type="segment" resource_id={segment.id} />
    </Stack>
  );
}

import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { type CampaignSummary, useCampaignAnalytics, useCampaigns } from '../campaigns/campaigns.ts';
import { count, shareInColumn } from '../numbers/format-number.ts';
import { TextLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { WorkflowStatus } from '../workflows/workflow-status.tsx';
import { useWorkflowAnalytics, useWorkflows, type Workflow } from '../workflows/workflows.ts';
import classes from './latest.module.css';

const most = 5;

export function LatestCampaigns() {
  const { rows, isPending, error } = useCampaigns({}, most);
  return (
    <Latest
      title="Campaigns"
      all={<TextLink to="/campaigns">All campaigns</TextLink>}
      create={
        <TextLink to="/campaigns/new" underline="always">
          Create one
        </TextLink>
      }
      headings={['Emails', 'Opened', 'Clicked']}
      area="campaigns"
      isEmpty={!isPending && rows.length === 0}
      error={error}
    >
      {rows.map((campaign) => (
        <CampaignRow key={campaign.id} campaign={campaign} />
      ))}
    </Latest>
  );
}

function CampaignRow({ campaign }: { campaign: CampaignSummary }) {
  const { data } = useCampaignAnalytics(campaign);
  const isSent = data && data.counts.attempted > 0;
  return (
    <Row
      name={
        <TextLink to="/campaigns/$id" params={{ id: campaign.id }}>
          {campaign.name}
        </TextLink>
      }
      status={<CampaignStatus status={campaign.status} />}
      numbers={
        isSent
          ? [count(data.counts.accepted), shareInColumn(data.rates.open?.value), shareInColumn(data.rates.click?.value)]
          : ['–', '–', '–']
      }
    />
  );
}

export function LatestWorkflows() {
  const { rows, isPending, error } = useWorkflows({});
  return (
    <Latest
      title="Workflows"
      all={<TextLink to="/workflows">All workflows</TextLink>}
      create={
        <TextLink to="/workflows/new" underline="always">
          Create one
        </TextLink>
      }
      headings={['In progress', 'Completed', 'Failed']}
      area="workflows"
      isEmpty={!isPending && rows.length === 0}
      error={error}
    >
      {rows.slice(0, most).map((workflow) => (
        <WorkflowRow key={workflow.id} workflow={workflow} />
      ))}
    </Latest>
  );
}

function WorkflowRow({ workflow }: { workflow: Workflow }) {
  const { data } = useWorkflowAnalytics(workflow.id);
  return (
    <Row
      name={
        <TextLink to="/workflows/$id" params={{ id: workflow.id }}>
          {workflow.name}
        </TextLink>
      }
      status={<WorkflowStatus status={workflow.status} />}
      numbers={data ? [data.counts.open, data.counts.completed, data.counts.failed].map(count) : ['–', '–', '–']}
    />
  );
}

type LatestProps = {
  title: string;
  all: ReactNode;
  create: ReactNode;
  headings: readonly string[];
  area: 'campaigns' | 'workflows';
  isEmpty: boolean;
  error: Error | null;
  children: ReactNode;
};

/** The newest of something, with the numbers of each. */
function Latest({ title, all, create, headings, area, isEmpty, error, children }: LatestProps) {
  const { mayWrite } = usePermission(area);
  return (
    <Panel title={title} action={all}>
      {error && <ErrorAlert error={error} title={`Couldn't load the ${title.toLowerCase()}`} />}
      {!error && isEmpty && (
        <Text size="sm" c="dimmed">
          No {title.toLowerCase()} yet. {mayWrite && create}
        </Text>
      )}
      {!error && !isEmpty && (
        <Table aria-label={`Latest ${title.toLowerCase()}`} verticalSpacing={9} horizontalSpacing={8}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Status</Table.Th>
              {headings.map((heading) => (
                <Table.Th key={heading} className={classes.number}>
                  {heading}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}

type RowProps = { name: ReactNode; status: ReactNode; numbers: readonly string[] };

const Row = ({ name, status, numbers: [first, second, third] }: RowProps) => (
  <Table.Tr>
    <Table.Td className={classes.name}>{name}</Table.Td>
    <Table.Td className={classes.cell}>{status}</Table.Td>
    <Table.Td className={classes.number}>{first}</Table.Td>
    <Table.Td className={classes.number}>{second}</Table.Td>
    <Table.Td className={classes.number}>{third}</Table.Td>
  </Table.Tr>
);

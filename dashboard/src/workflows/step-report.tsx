import { Button, Table, Text } from '@mantine/core';
import type { MessageAnalytics } from '@marketing-platform/sdk';
import { IconDownload } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { BuyerList, moneyOf } from '../campaigns/buyer-list.tsx';
import { ContactName } from '../contacts/contact-name.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { count, share } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { audiences, useSegmentFrom } from '../segments/segment-of-recipients.ts';
import { usePermission } from '../session/permission.ts';
import { stepName } from './step-labels.ts';
import classes from './step-report.module.css';
import { type StepCounts, useWorkflowBuyers, type WorkflowDetails } from './workflows.ts';

type Props = {
  workflow: WorkflowDetails;
  counts: readonly StepCounts[];
  entered: number | undefined;
  emails: MessageAnalytics | undefined;
  action: ReactNode;
};

/** What each step did, with its emails and what was bought after them; steps of earlier versions at the end. */
export function StepReport({ workflow, counts, entered, emails, action }: Props) {
  const nameOf = stepNamer(workflow);
  if (!entered) return null;
  const sent = new Map(emails?.steps.map((step) => [step.step_id, step]));
  const known = counts.map(({ step_id }) => step_id);
  const steps = [...known, ...[...sent.keys()].filter((id) => !known.includes(id))];
  return (
    <Panel title="Report by step" action={action}>
      <Table.ScrollContainer minWidth={640}>
        <Table aria-label="Report by step" verticalSpacing={6} className={classes.table ?? ''}>
          <Table.Thead>
            <Table.Tr>
              {['Step', 'Entered', 'Emails', 'Opened', 'Clicked', 'Orders', 'Revenue'].map((name) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {steps.map((id) => (
              <Fragment key={id}>
                <Row name={nameOf(id)} entered={counts.find(({ step_id }) => step_id === id)?.entered} emails={sent.get(id)} />
                {sent.get(id)?.variants.map((variant) => (
                  <Row key={variant.name} name={`Variant ${variant.name}`} entered={undefined} emails={variant} isPart />
                ))}
              </Fragment>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Row name="Workflow" entered={entered} emails={emails} />
          </Table.Tfoot>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  );
}

export const ExportReport = ({ workflow }: { workflow: WorkflowDetails }) => (
  <Button
    component="a"
    variant="default"
    size="xs"
    leftSection={<IconDownload size={14} aria-hidden />}
    href={`/v2/workflows/${workflow.id}/analytics/export`}
    download
  >
    Export
  </Button>
);

type RowProps = {
  name: string;
  entered: number | undefined;
  emails: Pick<MessageAnalytics, 'counts' | 'rates'> | undefined;
  /** Whether it is a part of the step above. */
  isPart?: boolean;
};

/** A step that sends no emails has no numbers of emails. */
function Row({ name, entered, emails, isPart }: RowProps) {
  const { counts, rates } = emails ?? {};
  return (
    <Table.Tr data-part={isPart}>
      <Table.Th scope="row">{name}</Table.Th>
      <Table.Td>{entered === undefined ? '' : count(entered)}</Table.Td>
      <Table.Td>{counts && count(counts.accepted)}</Table.Td>
      <Table.Td>{counts && <Part number={counts.opened.unique.human} rate={rates?.open?.value} />}</Table.Td>
      <Table.Td>{counts && <Part number={counts.clicked.unique.human} rate={rates?.click?.value} />}</Table.Td>
      <Table.Td>{counts && count(counts.conversions)}</Table.Td>
      <Table.Td>{counts && (moneyOf(counts.revenue) || '–')}</Table.Td>
    </Table.Tr>
  );
}

const Part = ({ number, rate }: { number: number; rate: number | null | undefined }) => (
  <>
    {count(number)}{' '}
    <Text span size="xs" c="dimmed">
      {share(rate)}
    </Text>
  </>
);

/** To whom the emails of a workflow sold. */
export function WorkflowBuyers({ workflow }: { workflow: WorkflowDetails }) {
  const buyers = useWorkflowBuyers(workflow);
  const nameOf = stepNamer(workflow);
  const { mayWrite } = usePermission();
  const { mutate, isPending } = useSegmentFrom(workflow);
  const audience = audiences.find(({ did }) => did === 'converted');
  return (
    <BuyerList
      list={buyers}
      named={({ contact_id, address }) => (
        <RowLink to="/contacts/$id" params={{ id: contact_id }}>
          {address ?? <ContactName id={contact_id} />}
        </RowLink>
      )}
      more={[{ name: 'After', width: 'minmax(0, 2fr)', wideOnly: true, cell: ({ step_id }) => nameOf(step_id ?? '') }]}
      exportUrl={`/v2/campaigns/messages/ledger/export?${new URLSearchParams({ workflow_id: workflow.id, engagement: 'converted' })}`}
      action={
        mayWrite &&
        audience && (
          <Button variant="default" loading={isPending} onClick={() => mutate(audience)}>
            Create segment from buyers
          </Button>
        )
      }
      empty="No contact has bought anything after a click in these emails yet."
    />
  );
}

/** The name of a step; steps of the same name are told apart by their number. Only their emails are left of those that were removed. */
function stepNamer({ steps }: WorkflowDetails) {
  return (id: string) => {
    const step = steps.find((one) => one.id === id);
    if (!step) return 'Removed step';
    const same = steps.filter((one) => stepName(one) === stepName(step));
    return same.length === 1 ? stepName(step) : `${stepName(step)} ${same.indexOf(step) + 1}`;
  };
}

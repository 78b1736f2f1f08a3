import { Group, Table, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { count, money, share } from '../numbers/format-number.ts';
import { TextLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import classes from './breakdown-panel.module.css';
import { CreateGoal } from './create-goal.tsx';
import { type Goal, useDeleteGoal, useGoalReport, useGoals } from './goals.ts';
import type { TrafficSearch } from './leadpulse-search.ts';

/** Each goal is reported on its own, from events. */
const maxGoals = 20;

/** The goals with their conversions in a view. */
export function GoalsPanel({ search }: { search: TrafficSearch }) {
  const { rows, isPending, hasMore, error, reload } = useGoals();
  const { mayWrite } = usePermission('leadpulse');
  return (
    <Panel title="Goals" action={rows.length > 0 && <CreateGoal />}>
      {error && <ErrorAlert error={error} title="Couldn't load the goals" onRetry={() => void reload()} />}
      {isPending && <Outline of="the goals" shape="rows" />}
      {!isPending && !error && rows.length === 0 && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            A goal is an event or a page that visitors should reach, such as an order. Past conversions are also counted.
          </Text>
          <CreateGoal />
        </Group>
      )}
      {rows.length > 0 && (
        <div className={classes.scroll}>
          <Table aria-label="Goals" verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Goal</Table.Th>
                <Table.Th ta="end">Conversions</Table.Th>
                <Table.Th ta="end">Conversion rate</Table.Th>
                <Table.Th ta="end">Revenue</Table.Th>
                {mayWrite && <Table.Th aria-label="Actions" />}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.slice(0, maxGoals).map((goal) => (
                <GoalRow key={goal.id} goal={goal} search={search} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {(hasMore || rows.length > maxGoals) && (
        <Text size="xs" c="dimmed" mt="xs">
          Only the {maxGoals} newest goals are shown.
        </Text>
      )}
    </Panel>
  );
}

/** The filter that selects the conversions of a goal, if one filter does. */
function filterOf({ match: { event, page, where } }: Goal): TrafficSearch | undefined {
  if (where !== undefined || (event !== undefined && page !== undefined)) return undefined;
  if (event !== undefined) return { event };
  return page === undefined || page.endsWith('*') ? undefined : { page };
}

function GoalRow({ goal, search }: { goal: Goal; search: TrafficSearch }) {
  const { data: report, error } = useGoalReport(goal, search);
  const { mayWrite } = usePermission('leadpulse');
  const filter = filterOf(goal);
  const waiting = error ? '–' : '…';
  return (
    <Table.Tr>
      <Table.Td className={classes.word}>
        {filter ? (
          <TextLink to="/leadpulse" search={{ ...search, ...filter }} resetScroll={false} title="Filter by this goal">
            {goal.name}
          </TextLink>
        ) : (
          goal.name
        )}
        {error && (
          <Text size="xs" c="red" role="alert">
            {error.message}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="end">{report ? count(report.totals.conversions) : waiting}</Table.Td>
      <Table.Td ta="end">{report ? share(report.totals.visitors.value) : waiting}</Table.Td>
      <Table.Td ta="end">{report ? report.totals.revenue.map(({ amount, currency }) => money(amount, currency)).join(', ') : ''}</Table.Td>
      {mayWrite && (
        <Table.Td ta="end">
          <DeleteGoal goal={goal} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function DeleteGoal({ goal }: { goal: Goal }) {
  const deletion = useDeleteGoal(goal);
  return (
    <ConfirmButton
      label="Delete"
      description={`Delete the goal ${goal.name}`}
      title="Delete this goal?"
      confirm="Delete goal"
      failed="Couldn't delete the goal"
      mutation={deletion}
      onConfirm={(options) => deletion.mutate(undefined, options)}
      done={`The goal ${goal.name} was deleted.`}
    >
      <Text size="sm">
        <strong>{goal.name}</strong> is no longer reported. Its events are kept.
      </Text>
    </ConfirmButton>
  );
}

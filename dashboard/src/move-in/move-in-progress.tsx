import { List, Progress, Stack, Table, Text } from '@mantine/core';
import type { Plan } from '@mp/move-in/plan';
import type { Written } from '@mp/move-in/state';
import { count } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { Status } from '../page/status.tsx';
import { type Group, groupsOf } from './groups.ts';
import classes from './move-in.module.css';

type Props = { plan: Plan; written: Written; isOver: boolean; isInterrupted: boolean; rowsRead?: number };

const maxErrors = 100;

/** How far an import is, part by part, and what the platform rejected. */
export function MoveInProgress({ plan, written, isOver, isInterrupted, rowsRead = 0 }: Props) {
  const groups = groupsOf(plan, written, isOver);
  return (
    <Stack gap="lg">
      <Panel title={isOver ? 'Results' : 'Progress'}>
        <Table aria-label={isOver ? 'Results' : 'Progress'} verticalSpacing={8}>
          <Table.Tbody>
            {groups.map((group) => (
              <Table.Tr key={group.label}>
                <Table.Th scope="row">{group.label}</Table.Th>
                <Table.Td className={classes.number}>{count(group.total)}</Table.Td>
                <Table.Td>
                  {isInterrupted && group.state === 'active' ? (
                    <Status tone="warn">Interrupted</Status>
                  ) : (
                    <GroupState group={group} rowsRead={rowsRead} />
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Panel>
      {written.errors.length > 0 && (
        <Panel title="Rejected by the platform">
          <Text size="sm" c="dimmed" mb="sm">
            A contact that is named here came with its address, consent and tags alone, unless it says that it was not imported.
          </Text>
          <List size="sm" className={classes.word}>
            {written.errors.slice(0, maxErrors).map((error) => (
              <List.Item key={error}>{error}</List.Item>
            ))}
            {written.errors.length > maxErrors && <List.Item>{count(written.errors.length - maxErrors)} more</List.Item>}
          </List>
        </Panel>
      )}
    </Stack>
  );
}

function GroupState({ group: { label, total, state, counts }, rowsRead }: { group: Group; rowsRead: number }) {
  if (state === 'waiting') return <Status tone="over">Waiting</Status>;
  if (state === 'active')
    return label === 'Contacts' && total > 0 ? (
      <Progress value={(100 * rowsRead) / total} animated aria-label={`Progress of ${label.toLowerCase()}`} />
    ) : (
      <Status tone="busy">Importing</Status>
    );
  const { created, updated, unchanged, failed } = counts;
  const said = [
    [created, 'new'],
    [updated, 'updated'],
    [unchanged, 'unchanged'],
    [failed, 'failed'],
  ].flatMap(([amount, word]) => (amount === 0 ? [] : `${count(Number(amount))} ${word}`));
  return <Status tone={failed > 0 ? 'bad' : 'good'}>{said.join(', ') || 'Nothing to do'}</Status>;
}

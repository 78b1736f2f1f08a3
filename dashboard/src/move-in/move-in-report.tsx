import { List, Stack, Table, Text } from '@mantine/core';
import type { Report } from '@mp/move-in/plan';
import type { ReactNode } from 'react';
import { count } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { Panel } from '../page/panel.tsx';
import classes from './move-in.module.css';

/** What an import would contain, what it would leave out or change, and what cannot come. */
export function MoveInReport({ report: { from, comes, skipped, changed, untranslated, stays_behind } }: { report: Report }) {
  return (
    <Stack gap="lg">
      <Panel title={`What comes from ${from}`}>
        <Metrics label="What comes">
          <Metric label="Contacts" value={count(comes.contacts ?? 0)} under={consentOf(comes)} />
          <Metric label="Suppressions" value={count(comes.suppressions ?? 0)} />
          <Metric label="Lists" value={count(comes.lists ?? 0)} under="static segments" />
          <Metric label="Tags" value={count(comes.tags ?? 0)} />
          <Metric label="Templates" value={count(comes.templates ?? 0)} />
        </Metrics>
      </Panel>
      <Findings title="Skipped" findings={skipped} />
      <Findings title={`Different from ${from}`} findings={changed} />
      {untranslated.length > 0 && (
        <Panel title="Merge tags without an equal">
          <Text size="sm" c="dimmed" mb="sm">
            They are removed. Open the templates afterwards and write what should be in their place.
          </Text>
          <Rows label="Merge tags without an equal">
            {untranslated.map(({ template, tags }) => (
              <Table.Tr key={template}>
                <Table.Th scope="row" className={classes.word}>
                  {template}
                </Table.Th>
                <Table.Td className={classes.word}>
                  <code>{tags.join(' ')}</code>
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        </Panel>
      )}
      <Panel title="What is not migrated">
        <List size="sm">
          {stays_behind.map((one) => (
            <List.Item key={one}>{one}</List.Item>
          ))}
        </List>
      </Panel>
    </Stack>
  );
}

const consentOf = ({ subscribed = 0, pending = 0, unsubscribed = 0, without_consent = 0 }: Report['comes']) =>
  [
    [subscribed, 'subscribed'],
    [pending, 'pending'],
    [unsubscribed, 'unsubscribed'],
    [without_consent, 'without consent'],
  ]
    .flatMap(([amount, word]) => (amount === 0 ? [] : `${count(Number(amount))} ${word}`))
    .join(', ');

function Findings({ title, findings }: { title: string; findings: Report['skipped'] }) {
  if (findings.length === 0) return null;
  return (
    <Panel title={title}>
      <Rows label={title}>
        {findings.map(({ what, why, count: amount }) => (
          <Table.Tr key={`${what} ${why}`}>
            <Table.Td className={classes.number}>{count(amount)}</Table.Td>
            <Table.Th scope="row" className={classes.name}>
              {what}
            </Table.Th>
            <Table.Td className={classes.word}>{why}</Table.Td>
          </Table.Tr>
        ))}
      </Rows>
    </Panel>
  );
}

const Rows = ({ label, children }: { label: string; children: ReactNode }) => (
  <Table aria-label={label} verticalSpacing={6}>
    <Table.Tbody>{children}</Table.Tbody>
  </Table>
);

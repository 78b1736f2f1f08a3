import { Alert, Badge, Button, Group, NativeSelect, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import type { CSSProperties, ReactNode } from 'react';
import { DayChart } from '../charts/day-chart.tsx';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { Page } from '../page/page.tsx';
import { Columns, Panel } from '../page/panel.tsx';
import { Status } from '../page/status.tsx';
import { addDays, dayOf } from '../time/zone.ts';
import classes from './styles-page.module.css';

const sizes = {
  'var(--text-figure)': 'The numbers that matter',
  'var(--text-title)': 'Title of a page',
  'var(--text-section)': 'Title of a dialog or an empty page',
  'var(--text-large)': 'Title of a section',
  'var(--text-body)': 'Text, fields, rows and buttons',
  'var(--text-small)': 'What is below a number or a field',
  'var(--text-mini)': 'Marks on a canvas',
};
const spaces = ['var(--space-1)', 'var(--space-2)', 'var(--space-3)', 'var(--space-4)', 'var(--space-5)', 'var(--space-6)'];
const surfaces = ['var(--surface)', 'var(--surface-sunken)', 'var(--surface-raised)', 'var(--surface-hover)', 'var(--surface-selected)'];
const inks = ['var(--ink)', 'var(--ink-muted)', 'var(--ink-faint)', 'var(--accent-ink)', 'var(--good)', 'var(--warn)', 'var(--bad)'];
const fills = [
  'var(--accent)',
  'var(--accent-soft)',
  'var(--good-soft)',
  'var(--warn-soft)',
  'var(--bad-soft)',
  'var(--hairline)',
  'var(--line)',
];
const raised = ['var(--elevation-1)', 'var(--elevation-2)', 'var(--elevation-3)'];
const corners = ['var(--radius-small)', 'var(--radius)', 'var(--radius-large)', 'var(--radius-round)'];
const motions = { 'var(--motion-fast)': 'Hover', 'var(--motion)': 'Menus and dialogs', 'var(--motion-slow)': 'Drawers' };
const days = Array.from({ length: 28 }, (_, index) => ({
  day: addDays(dayOf(new Date()), index - 27),
  values: [40 + 12 * Math.sin(index / 2) + index, 36 + 10 * Math.sin(index / 2 + 1)].map(Math.round),
}));

/** The name of a token, as it is written. */
const nameOf = (token: string) => token.slice(4, -1);

/** Every token of `tokens.css`, and what is made of them. No page links to it. */
export function StylesPage() {
  return (
    <Page
      title="Styles"
      describes="The sizes and colors of the dashboard, which are written in theme/tokens.css, and what is made of them."
    >
      <Stack gap="lg">
        <Panel title="Text">
          {Object.entries(sizes).map(([token, use]) => (
            <Sample key={token} name={nameOf(token)}>
              <span style={{ fontSize: token }}>{use}</span>
            </Sample>
          ))}
        </Panel>
        <Columns>
          <Panel title="Space">
            {spaces.map((token) => (
              <Sample key={token} name={nameOf(token)}>
                <span className={classes.space} style={{ width: token }} />
              </Sample>
            ))}
          </Panel>
          <Panel title="Ink">
            {inks.map((token) => (
              <Sample key={token} name={nameOf(token)}>
                <span style={{ color: token }}>12,345 emails sent</span>
              </Sample>
            ))}
          </Panel>
          <Panel title="Motion">
            {Object.entries(motions).map(([token, use]) => (
              <Sample key={token} name={nameOf(token)}>
                {use}
              </Sample>
            ))}
          </Panel>
        </Columns>
        <Columns>
          <Boxes title="Surfaces" tokens={surfaces} style={(token) => ({ background: token })} />
          <Boxes title="Fills and lines" tokens={fills} style={(token) => ({ background: token })} />
          <Boxes title="Elevation" tokens={raised} style={(token) => ({ boxShadow: token })} />
          <Boxes title="Corners" tokens={corners} style={(token) => ({ borderRadius: token })} />
        </Columns>
        <Panel title="Controls">
          <Stack gap="md">
            <Group gap="sm">
              <Button>Primary</Button>
              <Button variant="default">Default</Button>
              <Button variant="subtle">Subtle</Button>
              <Button color="red">Destructive</Button>
              <Button disabled>Disabled</Button>
            </Group>
            <Group gap="sm" align="end">
              <TextInput label="Name" placeholder="Autumn release" />
              <TextInput label="Email" defaultValue="ada@example" error="Enter an email address." />
              <NativeSelect label="Status" data={['All', 'Draft', 'Sent']} />
              <SegmentedControl aria-label="Period" data={['7 days', '30 days', '90 days']} />
              <Switch label="Archived" />
            </Group>
            <Group gap="md">
              <Status tone="good">Active</Status>
              <Status tone="busy">Sending</Status>
              <Status tone="warn">Paused</Status>
              <Status tone="bad">Failed</Status>
              <Status tone="over">Draft</Status>
              <Badge variant="default">newsletter</Badge>
            </Group>
            <Alert color="yellow" title="A warning">
              What is wrong, and what would be right.
            </Alert>
          </Stack>
        </Panel>
        <Panel title="Numbers">
          <Metrics label="Numbers">
            <Metric label="Revenue" value="€14,654" under="+53% compared with before" />
            <Metric label="Contacts" value="12,345" under="457 new in 30 days" />
            <Metric label="Open rate" value="47.4%" under="−1.7 pts" />
            <Metric label="Click rate" value="18.4%" />
            <Metric label="Bounced" value="12" />
          </Metrics>
        </Panel>
        <Panel title="Charts">
          <DayChart label="Visitors by day" names={['Visitors', 'Earlier']} days={days} />
        </Panel>
        <Panel title="Empty pages">
          <EmptyState title="Nothing yet" icon={IconMail} action={<Button>Add the first one</Button>}>
            What belongs here, what it is for, and the button that adds the first one.
          </EmptyState>
        </Panel>
      </Stack>
    </Page>
  );
}

const Sample = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className={classes.sample}>
    <code className={classes.name}>{name}</code>
    {children}
  </div>
);

type BoxesProps = { title: string; tokens: readonly string[]; style: (token: string) => CSSProperties };

const Boxes = ({ title, tokens, style }: BoxesProps) => (
  <Panel title={title}>
    <div className={classes.boxes}>
      {tokens.map((token) => (
        <div key={token}>
          <div className={classes.box} style={style(token)} />
          <Text size="xs" component="code" className={classes.name}>
            {nameOf(token)}
          </Text>
        </div>
      ))}
    </div>
  </Panel>
);

import { Button, Group, Menu, NativeSelect, Table, Text } from '@mantine/core';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline, type Shape } from '../api/outline.tsx';
import type { Campaign } from '../campaigns/campaigns.ts';
import { type BreakdownItem, useReportBy } from '../campaigns/report.ts';
import { DayChart } from '../charts/day-chart.tsx';
import { count, shareInColumn } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { EmailReport } from '../report-emails/email-report.tsx';
import { audiences, useSegmentFrom } from '../segments/segment-of-recipients.ts';
import { usePermission } from '../session/permission.ts';
import classes from './campaign-report.module.css';
import { engagementOverTime } from './engagement-over-time.ts';

type Props = { campaign: Campaign };

const maxRows = 10;

/** Opens and clicks by hour or day, with what can be made of them. */
export function OverTime({ campaign }: Props) {
  const report = useReportBy(campaign, 'hour');
  return (
    <Panel
      title="Opens and clicks over time"
      action={
        <Group gap="xs">
          <MakeSegment campaign={campaign} />
          <EmailReport subject={{ campaign_id: campaign.id }} />
          <ExportReport campaign={campaign} />
        </Group>
      }
    >
      <Part report={report} of="opens and clicks" empty="No opens yet." shape="chart">
        {(items) => {
          const { interval, points } = engagementOverTime(items);
          return <DayChart label={`Opens and clicks by ${interval}`} interval={interval} names={['Opens', 'Clicks']} days={points} />;
        }}
      </Part>
    </Panel>
  );
}

/** The links of the email by their clicks. */
export function Links({ campaign }: Props) {
  const report = useReportBy(campaign, 'link');
  return (
    <Panel title="Links">
      <Part report={report} of="links" empty="No clicks yet.">
        {(items) => (
          <Shares
            label="Links"
            heading="Link"
            sizeHeading="Clicked by"
            rows={items.map(({ variant, link, url, clicked }) => ({
              name: url?.replace(/^https?:\/\//, '') ?? `Link ${(link ?? 0) + 1}, different for each recipient`,
              note: variant === null ? undefined : `Variant ${variant}`,
              size: clicked.unique.human,
            }))}
          />
        )}
      </Part>
    </Panel>
  );
}

const deviceNames: Readonly<Record<string, string>> = { desktop: 'Desktop', mobile: 'Mobile', tablet: 'Tablet', other: 'Other' };

/** Who opened, by device or domain. */
export function Parts({ campaign }: Props) {
  const [by, setBy] = useState<'device' | 'domain'>('device');
  const report = useReportBy(campaign, by);
  const nameOf = ({ device, domain }: BreakdownItem) => (by === 'device' ? (deviceNames[device ?? ''] ?? device) : domain) ?? '–';
  return (
    <Panel
      title={by === 'device' ? 'Devices' : 'Domains'}
      action={
        <NativeSelect
          size="xs"
          aria-label="Opens by"
          data={[
            { value: 'device', label: 'Device' },
            { value: 'domain', label: 'Email domain' },
          ]}
          value={by}
          onChange={(event) => setBy(event.currentTarget.value === 'domain' ? 'domain' : 'device')}
        />
      }
    >
      <Part report={report} of="breakdown" empty="No opens yet.">
        {(items) => (
          <Shares
            label={by === 'device' ? 'Devices' : 'Domains'}
            heading={by === 'device' ? 'Device' : 'Domain'}
            sizeHeading="Opened by"
            rows={items.map((item) => ({
              name: nameOf(item),
              note: item.counts && `${count(item.counts.accepted)} accepted, ${count(item.counts.bounced)} bounced`,
              size: item.opened.unique.human,
            }))}
          />
        )}
      </Part>
    </Panel>
  );
}

type PartProps = {
  report: ReturnType<typeof useReportBy>;
  of: string;
  empty: string;
  shape?: Shape;
  children: (items: readonly BreakdownItem[]) => ReactNode;
};

/** A part of the report in every state. */
function Part({ report: { data, error, refetch }, of, empty, shape = 'rows', children }: PartProps) {
  if (error) return <ErrorAlert error={error} title={`Couldn't load the ${of}`} onRetry={() => void refetch()} />;
  if (!data) return <Outline of={`the ${of}`} shape={shape} />;
  const hasAny = data.some(({ opened, clicked }) => opened.total.human + clicked.total.human > 0);
  if (!hasAny)
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  return children(data);
}

type SharesProps = {
  label: string;
  heading: string;
  sizeHeading: string;
  rows: readonly { name: string; note?: string | null | undefined; size: number }[];
};

/** The largest values with their shares. */
function Shares({ label, heading, sizeHeading, rows }: SharesProps) {
  const all = rows.reduce((sum, { size }) => sum + size, 0);
  const largest = Math.max(1, ...rows.map(({ size }) => size));
  const shown = [...rows].sort((a, b) => b.size - a.size).slice(0, maxRows);
  return (
    <>
      <Table aria-label={label} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{heading}</Table.Th>
            <Table.Th className={classes.number}>{sizeHeading}</Table.Th>
            <Table.Th className={classes.number}>Share</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ name, note, size }) => (
            <Table.Tr key={`${name} ${note}`}>
              <Table.Td className={classes.value}>
                <span className={classes.bar} style={{ width: `${(size / largest) * 100}%` }} aria-hidden />
                <span className={classes.word}>{name}</span>
                {note && (
                  <Text size="xs" c="dimmed" className={classes.word}>
                    {note}
                  </Text>
                )}
              </Table.Td>
              <Table.Td className={classes.number}>{count(size)}</Table.Td>
              <Table.Td className={classes.number}>{shareInColumn(all === 0 ? null : size / all)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        {rows.length > 1 && (
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th>Total</Table.Th>
              <Table.Th className={classes.number}>{count(all)}</Table.Th>
              <Table.Th className={classes.number}>{shareInColumn(all === 0 ? null : 1)}</Table.Th>
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
      {rows.length > maxRows && (
        <Text size="xs" c="dimmed" mt="xs">
          Only the {maxRows} largest are shown. The export contains all of them.
        </Text>
      )}
    </>
  );
}

/** Creates a segment of the recipients that did something, or did not. */
function MakeSegment({ campaign }: Props) {
  const { mayWrite } = usePermission('segments');
  const { mutate, isPending } = useSegmentFrom(campaign);
  if (!mayWrite) return null;
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button size="xs" variant="default" loading={isPending} rightSection={<IconChevronDown size={14} aria-hidden />}>
          Create a segment
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Of the contacts that</Menu.Label>
        {audiences.map((audience) => (
          <Menu.Item key={audience.name} onClick={() => mutate(audience)}>
            {audience.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const exports = { '': 'Summary', variant: 'By variant', hour: 'By hour', link: 'By link', device: 'By device', domain: 'By domain' };

/** Downloads the report as CSV. */
const ExportReport = ({ campaign: { id, ab_test } }: Props) => (
  <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
    <Menu.Target>
      <Button size="xs" variant="default" leftSection={<IconDownload size={14} aria-hidden />}>
        Export
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {Object.entries(exports)
        .filter(([by]) => by !== 'variant' || ab_test !== null)
        .map(([by, name]) => (
          <Menu.Item key={by} component="a" href={`/v2/campaigns/${id}/analytics/export${by && `?by=${by}`}`} download>
            {name}
          </Menu.Item>
        ))}
    </Menu.Dropdown>
  </Menu>
);

import { Text } from '@mantine/core';
import { useCallback } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { useVariant } from '../campaign-editor/use-variant.tsx';
import type { Campaign } from '../campaigns/campaigns.ts';
import { useReportBy } from '../campaigns/report.ts';
import { MailFrame } from '../email-frame/email-frame.tsx';
import { count, share } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { clickMapHtml, clicksByLink, numberedLink } from './link-clicks.ts';

/** The email with the clicks of each link beside it. */
export function ClickMap({ campaign }: { campaign: Campaign }) {
  const { variant, field } = useVariant(campaign, 'Variant of the click map');
  const { data: items, error, refetch } = useReportBy(campaign, 'link');
  const own = campaign.ab_test?.variants.find(({ id }) => id === variant);
  const annotate = useCallback(
    (address: string) => {
      const clicks = clicksByLink(items ?? [], variant ?? null);
      const all = [...clicks.values()].reduce((sum, one) => sum + one, 0);
      const { href, number } = numberedLink(address);
      if (number === undefined) return { href };
      const its = clicks.get(number) ?? 0;
      return { href, note: its === 0 ? '0' : `${count(its)} · ${share(its / all)}` };
    },
    [items, variant],
  );
  return (
    <Panel title="Click map" action={field}>
      {error && <ErrorAlert error={error} title="Couldn't load the clicks" onRetry={() => void refetch()} />}
      {!items && !error && <Outline of="the click map" shape="email" />}
      {items && !campaign.track.clicks && (
        <Text size="sm" c="dimmed">
          Clicks of this campaign aren't tracked.
        </Text>
      )}
      {items && campaign.track.clicks && (
        <MailFrame html={clickMapHtml(own?.html ?? campaign.html)} title="Click map" annotate={annotate} />
      )}
    </Panel>
  );
}

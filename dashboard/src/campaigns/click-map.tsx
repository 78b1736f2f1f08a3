import { Skeleton } from '@mantine/core';
import { useCallback } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { count, share } from '../numbers/format-number.ts';
import { Panel } from '../shell/panel.tsx';
import { type Campaign, usePreviewOf } from './campaigns.ts';
import { clicksOfLinks } from './click-map.ts';
import { MailFrame } from './mail-frame.tsx';
import { useReportBy } from './report.ts';

/** The email with the clicks of each link beside it. */
export function ClickMap({ campaign }: { campaign: Campaign }) {
  const preview = usePreviewOf(campaign);
  const { data: items } = useReportBy(campaign, 'link');
  const notesOf = useCallback(
    (hrefs: readonly string[]) => {
      const links = (items ?? []).map(({ link, url, clicked }) => ({ link, url, clicks: clicked.unique.human }));
      const all = links.reduce((sum, { clicks }) => sum + clicks, 0);
      return clicksOfLinks(hrefs, links).map((clicks) =>
        clicks === undefined ? undefined : clicks === 0 ? '0' : `${count(clicks)} · ${share(clicks / all)}`,
      );
    },
    [items],
  );
  return (
    <Panel title="Click map">
      {preview.error && <ErrorAlert error={preview.error} title="Couldn't render the email" />}
      {(!preview.data || !items) && !preview.error && <Skeleton height={360} role="status" aria-label="Loading the click map" />}
      {preview.data && items && !preview.error && <MailFrame html={preview.data.html} title="Click map" notesOf={notesOf} />}
    </Panel>
  );
}

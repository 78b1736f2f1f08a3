import { Text } from '@mantine/core';
import { useDryRun } from '../campaigns/campaigns.ts';
import { useContactCount } from '../contacts/contacts.ts';
import { count, counted } from '../numbers/format-number.ts';
import { useSegmentPreview } from '../segments/use-segment-preview.ts';
import { audienceRule } from './audience-size.ts';
import classes from './audience-summary.module.css';
import type { CampaignDraft } from './campaign-draft.ts';

type Props = {
  audience: CampaignDraft['audience'];
  /** The campaign, if this is the audience that is saved. */
  savedId: string | undefined;
  named: (id: string) => string;
};

const list = new Intl.ListFormat('en');

/** Who the campaign is for, and how many there are, at each of its steps. */
export function AudienceSummary({ audience: { include, exclude }, savedId, named }: Props) {
  const names = (ids: readonly string[]) => list.format(ids.map(named));
  const isAll = include.includes('all');
  return (
    <section className={classes.summary} aria-label="Audience so far">
      {include.length === 0 ? (
        <Text size="sm" c="dimmed">
          No recipients chosen yet
        </Text>
      ) : (
        <>
          <Text size="sm">
            To <strong>{isAll ? named('all') : names(include)}</strong>
            {exclude.length > 0 && (
              <>
                {' without '}
                <strong>{names(exclude)}</strong>
              </>
            )}
          </Text>
          <Text size="sm" c="dimmed" className={classes.size} aria-live="polite">
            {savedId === undefined ? <Size audience={{ include, exclude }} /> : <Recipients id={savedId} />}
          </Text>
        </>
      )}
    </section>
  );
}

/** How many contacts a saved campaign would be sent to, which is what counts. */
function Recipients({ id }: { id: string }) {
  const { data } = useDryRun(id, true);
  if (!data) return <>Counting…</>;
  const sent = `${data.exact ? '' : 'at least '}${counted(data.would_send, 'contact')}`;
  return data.would_send === data.audience_count ? sent : `${sent} of ${count(data.audience_count)} in the audience`;
}

function Size({ audience }: Pick<Props, 'audience'>) {
  const definition = audienceRule(audience);
  const all = useContactCount();
  const { data, error } = useSegmentPreview(definition);
  if (definition === undefined) return all.data === undefined ? null : counted(all.data, 'contact');
  if (error) return null;
  return <>{data?.exact ? counted(data.count, 'contact') : 'Counting…'}</>;
}

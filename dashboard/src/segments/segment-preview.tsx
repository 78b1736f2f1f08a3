import { Loader, Progress, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { nameOf } from '../contacts/contacts.ts';
import { useNames } from '../names/names.ts';
import { counted, share } from '../numbers/format-number.ts';
import { TextLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { ruleSentence } from '../rules/rule-sentence.ts';
import { RuleWarnings } from '../rules/rule-warnings.tsx';
import classes from './segment-preview.module.css';
import type { Rule } from './segments.ts';
import { type Preview, useSegmentPreview } from './use-segment-preview.ts';

const maxSamples = 5;

/** The contacts that match now, while the rule is being edited. */
export function SegmentPreview({ definition }: { definition: Rule | undefined }) {
  const { named } = useNames();
  const { data: preview, error, isLoading, isFetching, isPlaceholderData, refetch } = useSegmentPreview(definition);
  const isEvaluating = isLoading || (isFetching && isPlaceholderData);
  return (
    <Panel title="Preview" action={isEvaluating && <Loader size="xs" role="img" aria-label="Evaluating contacts" />}>
      <div aria-live="polite">
        {definition === undefined && (
          <Text size="sm" c="dimmed">
            Complete every condition to preview the contacts.
          </Text>
        )}
        {definition !== undefined && error && (
          <ErrorAlert error={error} title="Couldn't preview the segment" onRetry={() => void refetch()} />
        )}
        {definition !== undefined && !error && preview && (
          <>
            <Text size="sm" c="dimmed" mb="xs">
              {ruleSentence(definition, named)}
            </Text>
            <Count preview={preview} />
            <RuleWarnings warnings={preview.warnings} />
            <ul className={classes.samples}>
              {preview.samples.slice(0, maxSamples).map((contact) => (
                <li key={contact.id}>
                  <TextLink to="/contacts/$id" params={{ id: contact.id }}>
                    {nameOf(contact)}
                  </TextLink>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Panel>
  );
}

/** The count once it is exact. Before, only how far it is: what was counted so far says nothing about the rest. */
function Count({ preview: { exact, count, at_least, progress } }: { preview: Preview }) {
  if (exact) return <p className={classes.count}>{counted(count, 'contact')}</p>;
  return (
    <>
      <p className={classes.count}>Still counting…</p>
      <Text size="sm" c="dimmed" mb={6}>
        {counted(at_least, 'match', 'matches')} in the first {share(progress)} of contacts.
      </Text>
      <Progress value={progress * 100} aria-label="Counting contacts" />
    </>
  );
}

import { Alert, List } from '@mantine/core';
import { count } from '../numbers/format-number.ts';
import { TextLink } from '../page/button-link.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import type { WorkflowDetails } from './workflows.ts';

/** Shows what needs attention: contacts that start because of an activation, the last failed run and warnings about the definition. */
export function WorkflowNotices({ warnings, last_failure, enrollment }: Pick<WorkflowDetails, 'warnings' | 'last_failure' | 'enrollment'>) {
  return (
    <>
      {enrollment?.status === 'running' && (
        <Alert color="blue" variant="light" role="status" title="Starting the contacts that match">
          {count(enrollment.processed)} done so far. Pause the workflow to stop the rest.
        </Alert>
      )}
      {last_failure && (
        <Alert color="red" variant="light" role="note" title="A run failed">
          {last_failure.reason} <RelativeTime at={last_failure.at} />.{' '}
          <TextLink to="/workflows/runs/$runId" params={{ runId: last_failure.run_id }} underline="always">
            Open the run to retry it
          </TextLink>
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" variant="light" role="note" title="Check these names">
          <List size="sm">
            {warnings.map(({ path, message }) => (
              <List.Item key={`${path} ${message}`}>{message}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  );
}

import { Alert } from '@mantine/core';
import type { SegmentWarning } from '@marketing-platform/sdk';

type Warning = SegmentWarning;

/** Names in the conditions that may be typos. */
export function RuleWarnings({ warnings }: { warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert color="yellow" title="Check the conditions">
      <ul>
        {warnings.map(({ path, message }) => (
          <li key={path}>{message}</li>
        ))}
      </ul>
    </Alert>
  );
}

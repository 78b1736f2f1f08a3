import { Button, Text } from '@mantine/core';
import type { Campaign } from '../campaigns/campaigns.ts';
import { Panel } from '../page/panel.tsx';
import { conversionLabel } from './conversion-labels.ts';

/** What counts as a conversion in the report, and in an A/B test that is decided by it. */
export function ConversionPanel({ campaign: { conversion, ab_test }, onChange }: { campaign: Campaign; onChange: () => void }) {
  const decides = ab_test?.metric === 'conversions' && ab_test.selection === 'automatic';
  return (
    <Panel
      title="Conversions"
      action={
        <Button variant="default" size="xs" onClick={onChange}>
          Change the event
        </Button>
      }
    >
      <Text size="sm">{conversionLabel(conversion)}</Text>
      {decides && (
        <Text size="sm" c="dimmed">
          The variant with the highest conversion rate wins the A/B test.
        </Text>
      )}
    </Panel>
  );
}

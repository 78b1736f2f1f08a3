import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useState } from 'react';
import { CommandLine } from '../clipboard/command-line.tsx';
import { Panel } from '../page/panel.tsx';
import { frameOf, htmlOf, pageOf } from './embed-code.ts';
import type { Form } from './forms.ts';

const ways = [
  { value: 'link', label: 'Link' },
  { value: 'frame', label: 'Inside a page' },
  { value: 'html', label: 'HTML' },
] as const;
type Way = (typeof ways)[number]['value'];

const explained: Readonly<Record<Way, string>> = {
  link: 'The hosted page of the form. Share it in emails, in social media or as a QR code.',
  frame: 'Shows the hosted page inside a page of your website.',
  html: 'The form as HTML, for a page with a look of its own. Changes of the fields must be copied again.',
};

/** How the saved form is brought to visitors, with the code to copy. */
export function UseFormPanel({ form }: { form: Form }) {
  const [way, setWay] = useState<Way>('link');
  const url = pageOf(form);
  const code = { link: url, frame: frameOf(form, url), html: htmlOf(form, url) }[way];
  return (
    <Panel
      title="Use it"
      action={
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noreferrer"
          variant="default"
          rightSection={<IconExternalLink size={16} aria-label="opens in a new tab" />}
        >
          Open the page
        </Button>
      }
    >
      <Stack gap="sm">
        <Group>
          <SegmentedControl
            size="xs"
            aria-label="Way to use the form"
            data={[...ways]}
            value={way}
            onChange={(chosen) => setWay(ways.find(({ value }) => value === chosen)?.value ?? way)}
          />
        </Group>
        <Text size="sm" c="dimmed">
          {explained[way]}
        </Text>
        {way !== 'link' && form.allowed_origins.length === 0 && (
          <Alert color="yellow" role="note">
            First add the address of your website under “Your websites” below: the form works in no other page.
          </Alert>
        )}
        <CommandLine label={ways.find(({ value }) => value === way)?.label ?? ''}>{code}</CommandLine>
      </Stack>
    </Panel>
  );
}

import { Alert, Button, Group, NativeSelect, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useState } from 'react';
import { CommandLine } from '../clipboard/command-line.tsx';
import { optionIn, optionsOf } from '../form/options.ts';
import { Panel } from '../page/panel.tsx';
import { type Display, displays, fetchOf, htmlOf, type Occasion, occasions, tagOf } from './embed-code.ts';
import type { Form } from './forms.ts';
import { TestForm } from './test-form.tsx';

const ways = [
  { value: 'link', label: 'Link' },
  { value: 'tag', label: 'Inside a page' },
  { value: 'html', label: 'HTML' },
  { value: 'fetch', label: 'JavaScript' },
] as const;
type Way = (typeof ways)[number]['value'];

const explained: Readonly<Record<Way, string>> = {
  link: 'The hosted page of the form. Share it in emails, in social media or as a QR code.',
  tag: 'Shows the form in a page of your website: where you paste this, or above the page. Changes of the form appear on their own.',
  html: 'The form as HTML, for a page with a look of its own; it works without JavaScript. Changes of the fields must be copied again. Views are not counted.',
  fetch: 'A submission by your own code, such as a single-page application. Views are not counted.',
};

/** How the saved form is brought to visitors, with the code to copy. */
export function EmbedFormPanel({ form }: { form: Form }) {
  const [way, setWay] = useState<Way>('link');
  const { url } = form;
  const [display, setDisplay] = useState<Display>('inline');
  const [occasion, setOccasion] = useState<Occasion>('delay');
  const code = { link: url, tag: tagOf(form, url, { display, occasion }), html: htmlOf(form, url), fetch: fetchOf(form, url) }[way];
  return (
    <Panel
      title="Use it"
      action={
        <Group gap="sm">
          <TestForm form={form} />
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
        </Group>
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
        {way === 'tag' && (
          <Group align="end">
            <NativeSelect
              label="Shown as"
              data={optionsOf(displays)}
              value={display}
              onChange={({ currentTarget: { value } }) => setDisplay(optionIn(displays, value) ?? display)}
            />
            {display !== 'inline' && (
              <NativeSelect
                label="Shown"
                description="Once per visitor, and never again after it is closed or submitted."
                data={optionsOf(occasions)}
                value={occasion}
                onChange={({ currentTarget: { value } }) => setOccasion(optionIn(occasions, value) ?? occasion)}
              />
            )}
          </Group>
        )}
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

import { ActionIcon, Button, Input, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { Panel } from '../page/panel.tsx';
import classes from './sending.module.css';
import type { SendingFields } from './sending-settings.ts';
import { maxPerMinute } from './validate-sending.ts';

const maxThrottles = 100;
const sides = [
  { value: 'receiving', label: 'To addresses at' },
  { value: 'sending', label: 'From addresses at' },
];

/** How fast emails go to or from a domain. */
export function ThrottlesPanel({ form }: SendingFields) {
  const { domain_throttles: throttles } = form.values;
  return (
    <Panel title="Sending rates">
      <Input.Wrapper
        labelElement="div"
        description="How many emails per minute campaigns and workflows send to a domain, or from one of yours. Further emails wait."
        error={form.errors.domain_throttles}
      >
        <ul className={classes.rows}>
          {throttles.map(({ domain }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a new rate has no identity except its position.
            <li key={index} className={classes.row}>
              <NativeSelect
                label="Direction"
                aria-label={`Direction of rate ${index + 1}`}
                data={sides}
                {...form.getInputProps(`domain_throttles.${index}.side`)}
              />
              <TextInput
                label="Domain"
                aria-label={`Domain of rate ${index + 1}`}
                placeholder="example.com"
                {...form.getInputProps(`domain_throttles.${index}.domain`)}
              />
              <NumberInput
                label="Emails per minute"
                aria-label={`Emails per minute of rate ${index + 1}`}
                min={1}
                max={maxPerMinute}
                allowDecimal={false}
                clampBehavior="none"
                {...form.getInputProps(`domain_throttles.${index}.per_minute`)}
              />
              <ActionIcon
                className={classes.remove}
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={`Remove rate ${domain || index + 1}`}
                onClick={() => form.removeListItem('domain_throttles', index)}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </li>
          ))}
        </ul>
      </Input.Wrapper>
      {throttles.length < maxThrottles && (
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => form.insertListItem('domain_throttles', { side: 'receiving', domain: '', per_minute: 100 })}
        >
          Add sending rate
        </Button>
      )}
    </Panel>
  );
}

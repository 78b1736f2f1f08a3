import { ActionIcon, Button, Input, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { Panel } from '../page/panel.tsx';
import classes from './sending.module.css';
import type { SendingFields, SendingSettings } from './sending-settings.ts';
import { topicIdFor } from './validate-sending.ts';

const maxTopics = 50;

type Props = SendingFields & { stored: SendingSettings['topics'] };

/** What recipients choose from on the preference page. The ID of a stored topic is fixed: consent is recorded under it. */
export function TopicsPanel({ form, stored }: Props) {
  const { topics } = form.values;
  // By its ID, not its position: topics before it can be removed. A new topic that repeats an ID can be corrected.
  const isStored = (id: string, index: number) =>
    stored.some((topic) => topic.id === id) && topics.findIndex((topic) => topic.id === id) === index;
  return (
    <Panel title="Topics">
      <Input.Wrapper
        labelElement="div"
        description="Recipients choose from these on the preference page. A campaign about a topic skips contacts who have unsubscribed from it."
        error={form.errors.topics}
      >
        <ul className={classes.rows}>
          {topics.map(({ id, name }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a new topic has no identity except its position.
            <li key={index} className={classes.row}>
              <TextInput
                label="Name"
                aria-label={`Name of topic ${index + 1}`}
                {...form.getInputProps(`topics.${index}.name`)}
                onBlur={() => id === '' && form.setFieldValue(`topics.${index}.id`, topicIdFor(name))}
              />
              <TextInput
                label="ID"
                aria-label={`ID of topic ${index + 1}`}
                readOnly={isStored(id, index)}
                {...form.getInputProps(`topics.${index}.id`)}
              />
              <ActionIcon
                className={classes.remove}
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={`Remove topic ${name || index + 1}`}
                onClick={() => form.removeListItem('topics', index)}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </li>
          ))}
        </ul>
      </Input.Wrapper>
      {topics.length < maxTopics && (
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => form.insertListItem('topics', { id: '', name: '' })}
        >
          Add topic
        </Button>
      )}
    </Panel>
  );
}

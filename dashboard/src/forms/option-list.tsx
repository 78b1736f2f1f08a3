import { ActionIcon, Button, Group, Input, Stack } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { OptionDraft } from './form-draft.ts';
import classes from './forms.module.css';
import type { Language } from './texts.ts';
import { TextsInput } from './texts-input.tsx';

type Props = {
  /** The name of the field. */
  name: string;
  options: readonly OptionDraft[];
  onChange: (options: OptionDraft[]) => void;
  language: Language;
  fallback: Language;
  error: ReactNode;
};

const maxOptions = 250;

/** The options of a list, by the labels that visitors see. */
export const OptionList = ({ name, options, onChange, language, fallback, error }: Props) => (
  <Input.Wrapper label="Options" labelElement="div" error={error}>
    <Stack gap="xs" mt={4}>
      {options.map((option, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a new option has no identity except its position.
        <Group key={index} gap="xs" wrap="nowrap">
          <div className={classes.grow}>
            <TextsInput
              label={`Option ${index + 1} of ${name}`}
              isLabelVisible={false}
              {...{ language, fallback }}
              texts={option.label}
              onChange={(label) => onChange(options.with(index, { ...option, label }))}
            />
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove option ${index + 1} of ${name}`}
            onClick={() => onChange(options.toSpliced(index, 1))}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {options.length < maxOptions && (
        <Button
          size="xs"
          variant="default"
          className={classes.add ?? ''}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...options, { value: '', label: {} }])}
        >
          Add option
        </Button>
      )}
    </Stack>
  </Input.Wrapper>
);

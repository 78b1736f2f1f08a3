import { SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useId } from 'react';
import type { BuilderProps } from './builder.ts';
import { TextsInput } from './texts-input.tsx';

type Props = BuilderProps & { name: 'after_submission' | 'after_confirmation'; title: string; usual: string };

/** What visitors see next: a message or another page. */
export function AfterFields({ form, language, name, title, usual }: Props) {
  const after = form.values[name];
  const id = useId();
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500} id={id}>
        {title}
      </Text>
      <SegmentedControl
        aria-labelledby={id}
        size="xs"
        style={{ alignSelf: 'start' }}
        data={[
          { value: 'message', label: 'Show a message' },
          { value: 'redirect', label: 'Open a page' },
        ]}
        value={after.kind}
        onChange={(kind) => form.setFieldValue(name, { ...after, kind: kind === 'redirect' ? 'redirect' : 'message' })}
      />
      {after.kind === 'redirect' ? (
        <TextInput
          aria-label={`${title}: address of the page`}
          placeholder="https://example.com/thanks"
          autoComplete="off"
          {...form.getInputProps(`${name}.url`)}
        />
      ) : (
        <TextsInput
          label={`${title}: message`}
          isLabelVisible={false}
          isLong
          placeholder={usual}
          {...{ language, fallback: form.values.language }}
          texts={after.text}
          onChange={(text) => form.setFieldValue(name, { ...after, text })}
          error={form.errors[`${name}.text`] ?? form.errors[`${name}.text.${language}`]}
        />
      )}
    </Stack>
  );
}

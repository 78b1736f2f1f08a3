import { ColorInput, Stack, TextInput } from '@mantine/core';
import { FormGrid } from '../form/form-grid.tsx';
import { Panel } from '../page/panel.tsx';
import type { BuilderProps } from './builder.ts';

const colors = [
  { name: 'primary', label: 'Button' },
  { name: 'text', label: 'Text' },
  { name: 'surface', label: 'Form' },
  { name: 'background', label: 'Background' },
] as const;

/** The colors and the logo. A new form begins with those of the brand. */
export const LookPanel = ({ form }: Pick<BuilderProps, 'form'>) => (
  <Panel title="Look">
    <Stack gap="sm">
      <FormGrid>
        {colors.map(({ name, label }) => (
          <ColorInput
            key={name}
            label={label}
            format="hex"
            eyeDropperButtonProps={{ 'aria-label': `Pick the color: ${label}` }}
            {...form.getInputProps(`look.${name}`)}
          />
        ))}
      </FormGrid>
      <TextInput label="Logo" placeholder="https://example.com/logo.png" autoComplete="off" {...form.getInputProps('look.logo_url')} />
    </Stack>
  </Panel>
);

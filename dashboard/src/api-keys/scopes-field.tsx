import { Checkbox, Stack } from '@mantine/core';
import type { Scope } from '@marketing-platform/sdk';
import type { ReactNode } from 'react';
import { FormGrid } from '../form/form-grid.tsx';
import { isScope, scopeAreas } from '../roles/scopes.ts';

type Props = { value?: readonly Scope[] | null; onChange: (scopes: Scope[] | null) => void; error?: ReactNode };

/** Limits a key to scopes. A request needs both the permission and the scope. */
export function ScopesField({ value: chosen = null, onChange, error }: Props) {
  return (
    <Stack gap="sm">
      <Checkbox
        label="Limit to specific scopes"
        description="Scopes restrict the permission further; they never extend it."
        checked={chosen !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? [] : null)}
      />
      {chosen !== null && (
        <Checkbox.Group aria-label="Scopes" value={[...chosen]} onChange={(names) => onChange(names.filter(isScope))} error={error}>
          <FormGrid>
            {scopeAreas.flatMap(({ scopes }) => scopes.map(({ scope, name }) => <Checkbox key={scope} value={scope} label={name} />))}
          </FormGrid>
        </Checkbox.Group>
      )}
    </Stack>
  );
}

import { Checkbox, Stack } from '@mantine/core';
import type { Scope } from '@marketing-platform/sdk';
import type { ReactNode } from 'react';
import { FormGrid } from '../form/form-grid.tsx';

/** All scopes, in the order of the navigation. */
const scopes = {
  'contacts:read': 'Read contacts',
  'contacts:write': 'Change contacts',
  'contacts:export': 'Export contacts',
  'contacts:erase': 'Erase contacts',
  'segments:read': 'Read segments',
  'segments:write': 'Change segments',
  'campaigns:read': 'Read campaigns',
  'campaigns:write': 'Change campaigns',
  'campaigns:send': 'Send campaigns',
  'leadpulse:read': 'Read visits',
  'leadpulse:write': 'Track visits',
  'workflows:read': 'Read workflows',
  'workflows:write': 'Change workflows',
  'workflows:activate': 'Activate workflows',
  'webhooks:read': 'Read webhooks',
  'webhooks:write': 'Change webhooks',
  'settings:read': 'Read settings',
  'settings:write': 'Change settings',
  'settings:keys': 'Manage API keys',
} as const satisfies Record<Scope, string>;

const isScope = (name: string): name is Scope => name in scopes;

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
            {Object.entries(scopes).map(([scope, name]) => (
              <Checkbox key={scope} value={scope} label={name} />
            ))}
          </FormGrid>
        </Checkbox.Group>
      )}
    </Stack>
  );
}

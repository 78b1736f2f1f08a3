import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconBraces } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { MergeField } from '../email-design/merge-fields.ts';
import { useMergeFields } from './fields.ts';

type Props = { label: string; icon: ReactNode; size?: number; children: ReactNode };

export const ToolMenu = ({ label, icon, size = 32, children }: Props) => (
  // The text gets the focus back, not the button.
  <Menu position="bottom-start" returnFocus={false} width={220}>
    <Menu.Target>
      <Tooltip label={label} openDelay={400}>
        <ActionIcon variant="subtle" color="gray" size={size} aria-label={label}>
          {icon}
        </ActionIcon>
      </Tooltip>
    </Menu.Target>
    <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
      {children}
    </Menu.Dropdown>
  </Menu>
);

type FieldMenuProps = Partial<Pick<Props, 'label' | 'size'>> & { iconSize?: number; onPick: (field: MergeField) => void };

/** Every field that the email can name. */
export function FieldMenu({ label = 'Insert a field', iconSize = 18, onPick, ...menu }: FieldMenuProps) {
  return (
    <ToolMenu {...menu} label={label} icon={<IconBraces size={iconSize} stroke={1.7} aria-hidden />}>
      {useMergeFields().map((field) => (
        <Menu.Item key={field.field} onClick={() => onPick(field)}>
          {field.label}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item component="a" href="/campaigns/coupons" target="_blank">
        New coupon (opens a new tab)
      </Menu.Item>
    </ToolMenu>
  );
}

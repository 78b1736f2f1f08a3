import { Button, Menu } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import classes from './column-menu.module.css';

type Props = { choices: readonly string[]; shown: string[]; onShow: (shown: string[]) => void };

/** Chooses the visible columns. On narrow screens the table hides more automatically. */
export function ColumnMenu({ choices, shown, onShow }: Props) {
  return (
    <div className={classes.menu}>
      {/* What scrolls must be reachable with Tab. */}
      <Menu position="bottom-end" withInitialFocusPlaceholder={false} menuItemTabIndex={0}>
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconColumns3 size={14} aria-hidden />}>
            Columns
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={classes.dropdown ?? ''}>
          <Menu.CheckboxGroup value={shown} onChange={onShow}>
            {choices.map((name) => (
              <Menu.CheckboxItem key={name} value={name}>
                {name}
              </Menu.CheckboxItem>
            ))}
          </Menu.CheckboxGroup>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

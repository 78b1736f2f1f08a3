import { Combobox, Text, useCombobox } from '@mantine/core';
import { type ComponentType, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import classes from './canvas.module.css';

/** Something that can be put where the menu is open. */
export type InsertChoice = {
  value: string;
  name: string;
  means: string;
  group: string;
  icon: ComponentType<{ size: number; 'aria-hidden': true }>;
};

type Props = { choices: readonly InsertChoice[]; onChoose: (value: string) => void; onClose: () => void; children: ReactNode };

/** The types of steps, with a search. */
export function InsertMenu({ choices, onChoose, onClose, children }: Props) {
  const [text, setText] = useState('');
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const start = useEffectEvent(() => {
    combobox.focusSearchInput();
    combobox.selectFirstOption();
  });
  useEffect(() => {
    // After the dropdown has been placed; focusing it before would scroll the page.
    const frame = requestAnimationFrame(() => start());
    return () => cancelAnimationFrame(frame);
  }, []);

  const wanted = text.trim().toLowerCase();
  const found = choices.filter(({ name, means }) => `${name} ${means}`.toLowerCase().includes(wanted));
  const groups = [...new Set(found.map(({ group }) => group))];
  const search = (changed: string) => {
    setText(changed);
    combobox.updateSelectedOptionIndex();
    requestAnimationFrame(() => combobox.selectFirstOption());
  };

  return (
    <Combobox
      store={combobox}
      width={320}
      position="bottom"
      shadow="lg"
      onOptionSubmit={onChoose}
      middlewares={{ flip: true, shift: true }}
    >
      <Combobox.Target>{children}</Combobox.Target>
      <Combobox.Dropdown className={classes.menu}>
        <Combobox.Search
          aria-label="Search steps"
          placeholder="Search steps"
          value={text}
          onChange={(event) => search(event.currentTarget.value)}
        />
        <Combobox.Options className={classes.options} aria-label="Steps">
          {found.length === 0 && <Combobox.Empty>No matching steps.</Combobox.Empty>}
          {groups.map((group) => (
            <Combobox.Group key={group} label={group}>
              {found
                .filter((one) => one.group === group)
                .map(({ value, name, means, icon: Icon }) => (
                  <Combobox.Option key={value} value={value} className={classes.option}>
                    <Icon size={18} aria-hidden />
                    <span>
                      <span>{name}</span>
                      <Text component="span" display="block" size="xs" c="dimmed">
                        {means}
                      </Text>
                    </span>
                  </Combobox.Option>
                ))}
            </Combobox.Group>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

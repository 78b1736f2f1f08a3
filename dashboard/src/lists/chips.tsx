import { CloseButton, MantineThemeProvider, Popover } from '@mantine/core';
import { IconCheck, IconChevronDown, IconPlus } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import classes from './chips.module.css';

/** What is above a list: its search and filters, and at the end what changes how it is shown. */
export const Toolbar = ({ children, end }: { children?: ReactNode; end?: ReactNode }) => (
  <div className={classes.toolbar}>
    {children}
    {end && <div className={classes.end}>{end}</div>}
  </div>
);

type Choice = { value: string; label: string };
type ChoiceProps = {
  label: string;
  /** What is shown without a choice. */
  any?: string;
  choices: readonly (Choice | { group: string; choices: readonly Choice[] })[];
  value: string | undefined;
  /** Called with an empty text to end the filter. */
  onChange: (value: string) => void;
};

/** A filter with one of some values, which acts at once. */
export function ChoiceChip({ label, any = 'All', choices, value = '', onChange }: ChoiceProps) {
  const id = useId();
  return (
    <span className={classes.chip} data-set={value !== '' || undefined}>
      <label htmlFor={id}>{label}</label>
      <select id={id} className={classes.select} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{any}</option>
        {choices.map((one) =>
          'group' in one ? (
            <optgroup key={one.group} label={one.group}>
              <Options of={one.choices} />
            </optgroup>
          ) : (
            <Options key={one.value} of={[one]} />
          ),
        )}
      </select>
      {value !== '' && <Clear label={label} onClick={() => onChange('')} />}
    </span>
  );
}

const Options = ({ of }: { of: readonly Choice[] }) =>
  of.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));

type ToggleProps = { label: string; checked: boolean; onChange: (checked: boolean) => void };

/** A filter that is on or off. */
export const ToggleChip = ({ label, checked, onChange }: ToggleProps) => (
  <label className={classes.chip} data-set={checked || undefined}>
    <input
      type="checkbox"
      role="switch"
      aria-checked={checked}
      className={classes.switch}
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    {checked && <IconCheck size={14} aria-hidden />}
    {label}
  </label>
);

type FieldProps = {
  label: string;
  /** What the list is filtered by; undefined if by nothing. */
  value: string | undefined;
  onClear: () => void;
  /** The fields that change the filter. `close` is called when they have. */
  children: (close: () => void) => ReactNode;
  /** Adds a filter of any kind: shown without a chevron. */
  adds?: boolean;
};

/** Suggestions are drawn within the fields: outside them, a click on one would close the filter before it applies. */
const within = { components: { Combobox: { defaultProps: { withinPortal: false } } } };

/** A filter with a value of its own, whose fields open below the chip. */
export function FieldChip({ label, value, onClear, children, adds = false }: FieldProps) {
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" withRoles={false} trapFocus returnFocus>
      <Popover.Target>
        <span className={classes.chip} data-set={value !== undefined || undefined}>
          <button type="button" className={classes.open} aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {adds && <IconPlus size={14} aria-hidden />}
            {label}
            {value !== undefined && <span className={classes.value}>{value}</span>}
            {!adds && value === undefined && <IconChevronDown size={14} aria-hidden />}
          </button>
          {value !== undefined && <Clear label={label} onClick={onClear} />}
        </span>
      </Popover.Target>
      <Popover.Dropdown role="group" aria-label={`Filter: ${label}`}>
        <MantineThemeProvider theme={within}>{children(close)}</MantineThemeProvider>
      </Popover.Dropdown>
    </Popover>
  );
}

const Clear = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <CloseButton size={20} iconSize={14} className={classes.clear ?? ''} aria-label={`Remove the filter ${label}`} onClick={onClick} />
);

import '@mantine/dates/styles.css';
import { DateInput } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { dayOf } from '../time/zone.ts';

type Props = { label: string; value: string; onChange: (value: string) => void; error?: ReactNode };

const names = {
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  previousYear: 'Previous year',
  nextYear: 'Next year',
  previousDecade: 'Previous decade',
  nextDecade: 'Next decade',
  monthLevelControl: 'Choose a month',
  yearLevelControl: 'Choose a year',
};

/** A day as `YYYY-MM-DD`, typed or picked; empty for none. */
export const DateField = ({ label, value, onChange, error }: Props) => (
  <DateInput
    aria-label={label}
    placeholder="YYYY-MM-DD"
    valueFormat="YYYY-MM-DD"
    firstDayOfWeek={1}
    defaultDate={dayOf(Date.now())}
    ariaLabels={names}
    rightSection={<IconCalendar size={16} stroke={1.7} aria-hidden />}
    rightSectionPointerEvents="none"
    value={value === '' ? null : value}
    onChange={(day) => onChange(day ?? '')}
    error={error}
  />
);

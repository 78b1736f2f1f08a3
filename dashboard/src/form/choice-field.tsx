import { Radio } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './choice-field.module.css';

type Props = {
  label: string;
  description?: string;
  choices: readonly { value: string; label: string; means: string }[];
  value?: string;
  onChange: (value: string) => void;
  error?: ReactNode;
};

/** One of a few choices, each with its meaning. */
export const ChoiceField = ({ choices, ...group }: Props) => (
  <Radio.Group {...group}>
    <div className={classes.choices}>
      {choices.map(({ value, label, means }) => (
        <Radio key={value} value={value} label={label} description={means} className={classes.choice} />
      ))}
    </div>
  </Radio.Group>
);

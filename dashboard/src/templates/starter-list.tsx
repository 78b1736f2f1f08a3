import { Text, UnstyledButton } from '@mantine/core';
import { type Starter, starters } from '../email-design/starters.ts';
import classes from './starter-list.module.css';

/** The starters, to choose one. */
export const StarterList = ({ onPick }: { onPick: (starter: Starter) => void }) => (
  <div className={classes.list}>
    {starters.map((starter) => (
      <UnstyledButton key={starter.id} className={classes.starter} onClick={() => onPick(starter)}>
        <Text size="sm" fw={500}>
          {starter.name}
        </Text>
        <Text size="xs" c="dimmed">
          {starter.describes}
        </Text>
      </UnstyledButton>
    ))}
  </div>
);

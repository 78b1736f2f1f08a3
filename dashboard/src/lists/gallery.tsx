import { Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './gallery.module.css';

/** What a gallery shows of something to start from. */
export type Shown = { id: string; name: string; describes: string };

type Props<Starter extends Shown> = {
  starters: readonly Starter[];
  picture?: (starter: Starter) => ReactNode;
  onPick: (starter: Starter) => void;
  /** The one that is being made; meanwhile none can be picked. */
  pending?: string | undefined;
};

/** Things to start from, each with a picture of what it makes if there is one. */
export function Gallery<Starter extends Shown>({ starters, picture, onPick, pending }: Props<Starter>) {
  return (
    <div className={classes.gallery}>
      {starters.map((starter) => (
        <UnstyledButton
          key={starter.id}
          className={classes.starter}
          disabled={pending !== undefined}
          {...(pending === starter.id && { 'data-busy': '', 'aria-busy': true })}
          onClick={() => onPick(starter)}
        >
          {picture && (
            <div className={classes.picture} aria-hidden inert>
              {picture(starter)}
            </div>
          )}
          <div className={classes.words}>
            <Text size="sm" fw={500}>
              {starter.name}
            </Text>
            <Text size="xs" c="dimmed">
              {starter.describes}
            </Text>
          </div>
        </UnstyledButton>
      ))}
    </div>
  );
}

import { ActionIcon, Slider, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerSkipBack, IconPlayerSkipForward } from '@tabler/icons-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { moment } from '../../time/relative.ts';
import { Canvas } from '../canvas/lazy-canvas.tsx';
import { litPathOf } from '../canvas/lit-path.ts';
import type { Definition } from '../definition.ts';
import { logLabel } from '../step-labels.ts';
import { currentStep, type LogEntry, type Playback, sinceStart } from './playback.ts';
import classes from './player.module.css';

type Props = {
  /** The name of the canvas. */
  label: string;
  definition: Pick<Definition, 'trigger' | 'steps'>;
  named: (id: string) => string;
  log: readonly LogEntry[];
  /** Whether the run went through its last step. */
  isCompleted: boolean;
  playback: Playback;
};

/** The path of a run on the canvas, up to the moment that the player is at. */
export function Player({ label, definition, named, log, isCompleted, playback }: Props) {
  const { position, length } = playback;
  const passed = log.slice(0, position);
  return (
    <>
      <Canvas
        label={label}
        definition={definition}
        named={named}
        lit={litPathOf(definition, passed, isCompleted && position === length)}
        current={currentStep(passed)}
      />
      {length > 0 && <Controls log={log} steps={definition.steps} playback={playback} />}
    </>
  );
}

function Controls({ log, steps, playback }: Pick<Props, 'log' | 'playback'> & Pick<Definition, 'steps'>) {
  const { position, length, isPlaying, goTo, play, pause } = playback;
  const entry = log[position - 1];
  const words = entry ? logLabel(entry, steps) : '';
  const keys: Readonly<Record<string, number>> = { ArrowLeft: position - 1, ArrowRight: position + 1, Home: 1, End: length };
  const onKeyDown = (event: KeyboardEvent) => {
    const wanted = keys[event.key];
    if (wanted === undefined || event.target instanceof HTMLInputElement) return;
    // The slider would move once more.
    event.stopPropagation();
    event.preventDefault();
    goTo(wanted);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form.
    <div role="group" aria-label="Player" className={classes.player} onKeyDownCapture={onKeyDown}>
      <Control label="Back" isOff={position <= 1} onClick={() => goTo(position - 1)}>
        <IconPlayerSkipBack size={16} aria-hidden />
      </Control>
      <ActionIcon size="lg" aria-label={isPlaying ? 'Pause' : 'Play'} onClick={isPlaying ? pause : play}>
        {isPlaying ? <IconPlayerPause size={18} aria-hidden /> : <IconPlayerPlay size={18} aria-hidden />}
      </ActionIcon>
      <Control label="Forward" isOff={position >= length} onClick={() => goTo(position + 1)}>
        <IconPlayerSkipForward size={16} aria-hidden />
      </Control>
      <Slider
        className={classes.slider}
        thumbLabel="Moment"
        thumbValueText={words}
        label={null}
        min={1}
        max={Math.max(2, length)}
        disabled={length < 2}
        value={position}
        onChange={goTo}
      />
      {entry && (
        <Text size="sm" className={classes.moment} aria-live="polite">
          <strong>{words}</strong>
          <span className={classes.time}>
            {position} of {length}, {sinceStart(log[0]?.at ?? entry.at, entry.at)} ({moment(entry.at)})
          </span>
        </Text>
      )}
    </div>
  );
}

type ControlProps = { label: string; isOff: boolean; onClick: () => void; children: ReactNode };

/** Keeps the focus when it is off, so that the next key still reaches the player. */
const Control = ({ label, isOff, onClick, children }: ControlProps) => (
  <ActionIcon
    variant="default"
    size="lg"
    aria-label={label}
    aria-disabled={isOff}
    {...(isOff && { 'data-disabled': true })}
    onClick={() => !isOff && onClick()}
  >
    {children}
  </ActionIcon>
);

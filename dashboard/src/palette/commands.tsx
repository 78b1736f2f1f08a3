import { createSpotlight } from '@mantine/spotlight';
import { useEffect, useState } from 'react';
import { Palette } from './palette.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

export type Command = 'search' | 'help' | undefined;

type Props = { command: Command; onCommand: (change: (now: Command) => Command) => void };

/** The palette and the list of shortcuts. Stays on the page once it was opened, so that closing it returns the focus. */
export default function Commands({ command, onCommand }: Props) {
  const [[store, { open, close }]] = useState(createSpotlight);
  useEffect(() => (command === 'search' ? open() : close()), [command, open, close]);
  const closed = (closing: Command) => onCommand((now) => (now === closing ? undefined : now));
  return (
    <>
      <Palette store={store} onClose={() => closed('search')} onHelp={() => onCommand(() => 'help')} />
      <ShortcutsDialog opened={command === 'help'} onClose={() => closed('help')} />
    </>
  );
}

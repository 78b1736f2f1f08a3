import { Kbd, Modal } from '@mantine/core';
import { Facts } from '../shell/panel.tsx';
import { places } from '../shell/places.ts';
import { searchKeys } from '../shell/use-shortcuts.ts';

const keysOf = (keys: string) => (
  <span>
    {keys.split(' ').map((key, index) => (
      <span key={key}>
        {index > 0 && ' '}
        <Kbd size="sm">{key}</Kbd>
      </span>
    ))}
  </span>
);

/** Lists the keyboard shortcuts. */
export const ShortcutsDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => (
  <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
    <Facts
      facts={{
        'Search and commands': keysOf(`${searchKeys} /`),
        ...Object.fromEntries(places.map(({ name, key }) => [name, keysOf(`G ${key?.toUpperCase()}`)])),
        'This list': keysOf('?'),
      }}
    />
  </Modal>
);

import { Kbd, Modal, Stack, Title } from '@mantine/core';
import { places } from '../navigation/places.ts';
import { altKey, searchKeys, withCommand } from '../navigation/use-shortcuts.ts';
import { DescriptionList } from '../page/description-list.tsx';

/** The keys of each action, by where they act. */
const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Every page': {
    'Search and commands': `${searchKeys} or /`,
    ...Object.fromEntries(places.flatMap(({ name, key }) => (key === undefined ? [] : [[name, `G ${key.toUpperCase()}`]]))),
    'This list': '?',
  },
  'Steps of a workflow': {
    'Select a step': '↑ ↓ ← →',
    'Edit the step': 'Enter',
    'Back to the step': 'Esc',
    'Insert a step below': '/',
    'Move the step': `${altKey} ↑ or ${altKey} ↓`,
    'Duplicate the step': withCommand('D'),
    'Copy and paste the step': `${withCommand('C')} and ${withCommand('V')}`,
    'Delete the step': 'Delete',
    Undo: withCommand('Z'),
    Redo: withCommand('Y'),
  },
  'Player of a run': {
    'One moment back or forward': '← or →',
    'First or last moment': 'Home or End',
  },
  'Email editor': {
    'Insert a block': '/',
    'Insert a field': '{{',
    'Move the block': `${altKey} ↑ or ${altKey} ↓`,
    'Bold, italic or underline': `${withCommand('B')} or ${withCommand('I')} or ${withCommand('U')}`,
    Undo: withCommand('Z'),
    Redo: withCommand('Y'),
  },
};

const words = ['or', 'and'];

const keysOf = (keys: string) => (
  <span>
    {keys.split(' ').map((key, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the keys never change.
      <span key={index}>
        {index > 0 && ' '}
        {words.includes(key) ? key : <Kbd size="sm">{key}</Kbd>}
      </span>
    ))}
  </span>
);

/** Lists the keyboard shortcuts. */
export const ShortcutsDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => (
  <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
    <Stack gap="lg">
      {Object.entries(groups).map(([name, actions]) => (
        <section key={name} aria-label={name}>
          <Title order={3} size="h6" mb="xs">
            {name}
          </Title>
          <DescriptionList items={Object.fromEntries(Object.entries(actions).map(([action, keys]) => [action, keysOf(keys)]))} />
        </section>
      ))}
    </Stack>
  </Modal>
);

import '@mantine/spotlight/styles.css';
import { Kbd, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData, type SpotlightStore } from '@mantine/spotlight';
import {
  IconFilter,
  IconGitBranch,
  IconKeyboard,
  IconMail,
  IconMoon,
  IconPlus,
  IconSearch,
  IconSun,
  IconUpload,
  IconUser,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentType, type KeyboardEvent, useState } from 'react';
import { nameOf } from '../contacts/contacts.ts';
import { type Place, places, settings } from '../navigation/places.ts';
import { usePermission } from '../session/permission.ts';
import { matches } from './matches.ts';
import classes from './palette.module.css';
import { useSearchResults } from './search-results.ts';

type Props = { store: SpotlightStore; onClose: () => void; onHelp: () => void };
type Icon = ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;

const listId = 'palette-results';
const settleMs = 120;
const icon = (Shape: Icon) => <Shape size={18} stroke={1.7} aria-hidden />;

/** Goes to any page, finds contacts, segments, campaigns and workflows by words, and runs the main actions. */
export function Palette({ store, onClose, onHelp }: Props) {
  const [query, setQuery] = useState('');
  const [q] = useDebouncedValue(query.trim(), settleMs);
  const results = useSearchResults(q, query);
  const own = useOwnActions(onHelp).map(({ group, actions }) => ({
    group,
    actions: actions.filter(({ label, keywords }) => matches(query, `${label} ${keywords}`)),
  }));
  const groups = [...own, ...useSearchResultActions(results)].filter(({ actions }) => actions.length > 0);
  const isWaiting = results.isSearching || q !== query.trim();

  return (
    <Spotlight
      store={store}
      // The shell opens it: this component is loaded when it is opened for the first time.
      shortcut={null}
      title="Search and commands"
      onSpotlightClose={onClose}
      query={query}
      onQueryChange={setQuery}
      actions={groups}
      filter={(_query, actions) => actions}
      highlightQuery
      scrollable
      maxHeight={440}
      lockScroll={false}
      centered={false}
      size={620}
      radius="lg"
      transitionProps={{ duration: 80, transition: 'fade' }}
      overlayProps={{ backgroundOpacity: 0.4, blur: 2 }}
      classNames={{
        header: classes.header ?? '',
        actionsList: classes.list ?? '',
        action: classes.action ?? '',
        actionsGroup: classes.group ?? '',
      }}
      scrollAreaProps={{ id: listId }}
      searchProps={{
        'aria-label': 'Search or run a command',
        placeholder: 'Search, or run a command',
        leftSection: <IconSearch size={18} stroke={1.7} aria-hidden />,
        onKeyDown: runFirst,
      }}
      nothingFound={results.hasFailed ? "Couldn't search. Try again." : isWaiting ? 'Searching…' : 'No results.'}
    />
  );
}

/** Enter runs the first result unless another one was selected by the arrow keys. */
function runFirst(event: KeyboardEvent) {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
  const list = document.getElementById(listId);
  if (!list?.querySelector('[data-selected]')) list?.querySelector<HTMLElement>('[data-action]')?.click();
}

type OwnAction = SpotlightActionData & { label: string; keywords: string };

function useOwnActions(onHelp: () => void): { group: string; actions: OwnAction[] }[] {
  const navigate = useNavigate();
  const { may, isShown } = usePermission();
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const visit = ({ to, name, icon: shape, key }: Place): OwnAction => ({
    ...{ id: String(to), label: name, keywords: 'go to open page', leftSection: icon(shape) },
    ...(key !== undefined && { rightSection: <Keys keys={['G', key.toUpperCase()]} /> }),
    onClick: () => void navigate({ to }),
  });
  const create = (id: string, label: string, shape: Icon, keywords: string, to: Place['to']): OwnAction => ({
    ...{ id, label, keywords, leftSection: icon(shape) },
    onClick: () => void navigate({ to }),
  });
  const isDark = colorScheme === 'dark';
  return [
    { group: 'Go to', actions: [...places, ...settings.flatMap((group) => group.places)].filter(isShown).map(visit) },
    {
      group: 'Actions',
      actions: [
        ...(may('campaigns:write') ? [create('new-campaign', 'New campaign', IconPlus, 'create email write', '/campaigns/new')] : []),
        ...(may('segments:write') ? [create('new-segment', 'New segment', IconPlus, 'create', '/segments/new')] : []),
        ...(may('contacts:write') ? [create('new-contact', 'New contact', IconPlus, 'create add', '/contacts/new')] : []),
        ...(may('contacts:write') ? [create('new-form', 'New form', IconPlus, 'create sign up subscribe', '/contacts/forms/new')] : []),
        ...(may('workflows:write') ? [create('new-workflow', 'New workflow', IconPlus, 'create automation', '/workflows/new')] : []),
        ...(may('contacts:write') ? [create('import', 'Import contacts', IconUpload, 'csv upload', '/contacts/imports/new')] : []),
        ...(may('contacts:write')
          ? [create('move-in', 'Move in from another system', IconUpload, 'mailchimp klaviyo listmonk migrate', '/contacts/move-in')]
          : []),
        {
          ...{ id: 'appearance', label: isDark ? 'Use light appearance' : 'Use dark appearance', keywords: 'theme mode' },
          leftSection: icon(isDark ? IconSun : IconMoon),
          onClick: () => setColorScheme(isDark ? 'light' : 'dark'),
        },
        {
          ...{ id: 'shortcuts', label: 'Keyboard shortcuts', keywords: 'help keys' },
          ...{ leftSection: icon(IconKeyboard), rightSection: <Keys keys={['?']} /> },
          onClick: onHelp,
        },
      ],
    },
  ];
}

function useSearchResultActions({
  contacts,
  segments,
  campaigns,
  workflows,
}: ReturnType<typeof useSearchResults>): SpotlightActionGroupData[] {
  const navigate = useNavigate();
  return [
    {
      group: 'Segments',
      actions: segments.map(({ id, name }) => ({
        ...{ id, label: name, leftSection: icon(IconFilter) },
        onClick: () => void navigate({ to: '/segments/$id', params: { id } }),
      })),
    },
    {
      group: 'Campaigns',
      actions: campaigns.map(({ id, name, subject }) => ({
        ...{ id, label: name, description: subject, leftSection: icon(IconMail) },
        onClick: () => void navigate({ to: '/campaigns/$id', params: { id } }),
      })),
    },
    {
      group: 'Workflows',
      actions: workflows.map(({ id, name }) => ({
        ...{ id, label: name, leftSection: icon(IconGitBranch) },
        onClick: () => void navigate({ to: '/workflows/$id', params: { id } }),
      })),
    },
    {
      group: 'Contacts',
      actions: contacts.map((contact) => ({
        ...{ id: contact.id, label: nameOf(contact), leftSection: icon(IconUser) },
        ...(nameOf(contact) !== contact.email && contact.email !== null && { description: contact.email }),
        onClick: () => void navigate({ to: '/contacts/$id', params: { id: contact.id } }),
      })),
    },
  ];
}

const Keys = ({ keys }: { keys: readonly string[] }) => (
  <span className={classes.keys}>
    {keys.map((key) => (
      <Kbd key={key} size="xs">
        {key}
      </Kbd>
    ))}
  </span>
);

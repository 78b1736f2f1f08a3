import { Button, Menu, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconBookmark } from '@tabler/icons-react';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { required } from '../form/required.ts';
import { isEqual } from '../json/is-equal.ts';
import { useMe } from '../session/session-query.ts';

type View<Search> = { name: string; search: Search };
type Props<Search> = {
  /** The name of the list, such as `contacts`; used in the storage key and in texts. */
  of: string;
  search: Search;
  /** Whether a search shows only a part of the list. */
  isNarrowed: boolean;
  /** Drops what a stored search has that the list no longer knows. */
  parse: (raw: Record<string, unknown>) => Search;
  onShow: (search: Search) => void;
};

/**
 * Opens, saves and deletes the saved views of a list. A view is the search in the URL. Views are stored in this browser, by user
 * and account.
 */
export function ListViews<Search extends object>({ of, search, isNarrowed, parse, onShow }: Props<Search>) {
  const { data: me } = useMe();
  const key = `mp-views-${of}-${me?.account.id}-${me?.name}`;
  const [views, setViews] = useLocalStorage<View<Record<string, unknown>>[]>({ key, defaultValue: [], getInitialValueInEffect: false });
  const [opened, { open, close }] = useDisclosure(false);
  const current = views.find((view) => isEqual(parse(view.search), search));
  if (views.length === 0 && !isNarrowed) return null;

  const save = (name: string) => {
    setViews([...views.filter((view) => view.name !== name), { name, search: Object.fromEntries(Object.entries(search)) }]);
    close();
    notifications.show({ message: `The view ${name} was saved.` });
  };

  return (
    <>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconBookmark size={14} aria-hidden />}>
            {current?.name ?? 'Views'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.map((view) => (
            <Menu.Item key={view.name} onClick={() => onShow(parse(view.search))}>
              {view.name}
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Item onClick={() => onShow(parse({}))}>All {of}</Menu.Item>}
          {(current || isNarrowed) && views.length > 0 && <Menu.Divider />}
          {!current && isNarrowed && <Menu.Item onClick={open}>Save this view…</Menu.Item>}
          {current && <Menu.Item onClick={() => setViews(views.filter((view) => view !== current))}>Delete this view</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      <FormDialog opened={opened} onClose={close} title="Save this view">
        <SaveView onSave={save} onCancel={close} />
      </FormDialog>
    </>
  );
}

function SaveView({ onSave, onCancel }: { onSave: (name: string) => void; onCancel: () => void }) {
  const form = useForm({ initialValues: { name: '' }, validate: { name: required('Enter a name.') } });
  return (
    <Form form={form} saving={{ isPending: false, error: null }} onSubmit={({ name }) => onSave(name.trim())}>
      <Stack gap="md">
        <TextInput label="Name" maxLength={60} data-autofocus autoComplete="off" {...form.getInputProps('name')} />
        <Text size="xs" c="dimmed">
          Keeps the search, filters and order in this browser.
        </Text>
        <FormActions submit="Save view" failed="Couldn't save the view" cancel={onCancel} />
      </Stack>
    </Form>
  );
}

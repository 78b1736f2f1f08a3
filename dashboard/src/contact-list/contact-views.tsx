import { Button, Menu, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconBookmark } from '@tabler/icons-react';
import { type ContactSearch, contactSearch, isNarrowed } from '../contacts/contact-search.ts';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { required } from '../form/required.ts';
import { isEqual } from '../json/is-equal.ts';

type View = { name: string; search: Record<string, unknown> };
type Props = { search: ContactSearch; onShow: (search: ContactSearch) => void };

/** Opens a saved view of the list, which is a filter in the URL, and saves or deletes the current one. Kept in this browser. */
export function ContactViews({ search, onShow }: Props) {
  const [views, setViews] = useLocalStorage<View[]>({ key: 'mp-views-contacts', defaultValue: [], getInitialValueInEffect: false });
  const [opened, { open, close }] = useDisclosure(false);
  const current = views.find((view) => isEqual(contactSearch(view.search), search));
  if (views.length === 0 && !isNarrowed(search)) return null;

  const save = (name: string) => {
    setViews([...views.filter((view) => view.name !== name), { name, search: { ...search } }]);
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
            <Menu.Item key={view.name} onClick={() => onShow(contactSearch(view.search))}>
              {view.name}
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Item onClick={() => onShow({})}>All contacts</Menu.Item>}
          {(current || isNarrowed(search)) && views.length > 0 && <Menu.Divider />}
          {!current && isNarrowed(search) && <Menu.Item onClick={open}>Save this view…</Menu.Item>}
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

import { Button, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconBookmark } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { required } from '../form/required.ts';
import { isEqual } from '../json/is-equal.ts';
import { usePermission } from '../session/permission.ts';
import { ConfirmButton } from '../shell/confirm-button.tsx';
import { defaultDays, type TrafficSearch } from './leadpulse-search.ts';
import { reportOf, type SavedReport, useDeleteSavedView, useSavedReports, useSaveView, viewOf } from './saved-views.ts';

/** What a saved report stores of a view; its tabs are not part of it. */
const savedPart = (search: TrafficSearch) => {
  const { days = defaultDays, from, ...rest } = search;
  const { metric, sources, pages, locations, devices, events, ...stored } = rest;
  return from === undefined ? { ...stored, days } : { ...stored, from };
};

/** Opens a saved view, and saves the current one or deletes it. */
export function SavedViews({ search }: { search: TrafficSearch }) {
  const { views, error } = useSavedReports(viewOf);
  const { mayWrite } = usePermission();
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure(false);
  const current = views.find((view) => isEqual(savedPart(view.search), savedPart(search)));
  return (
    <Group gap="sm">
      {(views.length > 0 || error) && (
        <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <Button variant="default" leftSection={<IconBookmark size={16} aria-hidden />}>
              {current?.report.name ?? 'Saved views'}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {error && <Menu.Label>Couldn't load the saved views</Menu.Label>}
            {views.map((view) => (
              <Menu.Item key={view.report.id} onClick={() => void navigate({ to: '/leadpulse', search: view.search })}>
                {view.report.name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {mayWrite && !current && (
        <Button variant="default" onClick={open}>
          Save view
        </Button>
      )}
      {mayWrite && current && <DeleteView report={current.report} />}
      <FormDialog opened={opened} onClose={close} title="Save this view">
        <SaveForm search={search} onDone={close} />
      </FormDialog>
    </Group>
  );
}

function SaveForm({ search, onDone }: { search: TrafficSearch; onDone: () => void }) {
  const form = useForm({ initialValues: { name: '' }, validate: { name: required('Enter a name.') } });
  const saving = useSaveView();
  const save = ({ name }: typeof form.values) =>
    saving.mutate(reportOf(name.trim(), search), {
      onSuccess: (report) => {
        onDone();
        notifications.show({ message: `The view ${report.name} was saved.` });
      },
    });
  return (
    <Form form={form} saving={saving} onSubmit={save}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="The view stores the range, the comparison and the filters. Everyone in the account sees it."
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <FormActions submit="Save view" failed="Couldn't save the view" cancel={onDone} />
      </Stack>
    </Form>
  );
}

export function DeleteView({ report }: { report: SavedReport }) {
  const deletion = useDeleteSavedView(report.id);
  const remove = (close: () => void) =>
    deletion.mutate(undefined, {
      onSuccess: () => {
        close();
        notifications.show({ message: `The view ${report.name} was deleted.` });
      },
    });
  return (
    <ConfirmButton
      label="Delete view"
      title="Delete this view?"
      confirm="Delete"
      failed="Couldn't delete the view"
      mutation={deletion}
      onConfirm={remove}
    >
      <Text size="sm">
        <strong>{report.name}</strong> is deleted for everyone in the account. No data is lost.
      </Text>
    </ConfirmButton>
  );
}

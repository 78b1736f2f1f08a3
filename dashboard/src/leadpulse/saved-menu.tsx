import { Button, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconBookmark } from '@tabler/icons-react';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { required } from '../form/required.ts';
import { usePermission } from '../session/permission.ts';
import { type NewSavedReport, type SavedReport, useDeleteSaved, useSave, useSavedReports } from './use-saved-reports.ts';

type Noun = 'view' | 'report';
type ToSave = (name: string) => NewSavedReport;

type Props<Search> = {
  noun: Noun;
  /** What a saved one keeps. */
  keeps: string;
  /** What the page then shows; undefined if another page shows it. */
  searchOf: (report: SavedReport) => Search | undefined;
  /** Whether the page shows this now. */
  isShown: (search: Search) => boolean;
  onShow: (search: Search) => void;
  /** Absent if the page shows nothing that can be saved. */
  toSave?: ToSave | undefined;
};

/** Opens what was saved under a name, and saves what the page shows or deletes it. */
export function SavedMenu<Search>({ noun, keeps, searchOf, isShown, onShow, toSave }: Props<Search>) {
  const { views, error } = useSavedReports(searchOf);
  const { mayWrite } = usePermission('leadpulse');
  const [opened, { open, close }] = useDisclosure(false);
  const current = views.find(({ search }) => isShown(search));
  return (
    <Group gap="sm">
      {(views.length > 0 || error) && (
        <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <Button variant="default" leftSection={<IconBookmark size={16} aria-hidden />}>
              {current?.report.name ?? `Saved ${noun}s`}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {error && <Menu.Label>{`Couldn't load the saved ${noun}s`}</Menu.Label>}
            {views.map(({ report, search }) => (
              <Menu.Item key={report.id} onClick={() => onShow(search)}>
                {report.name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {mayWrite && toSave && !current && (
        <Button variant="default" onClick={open}>
          Save {noun}
        </Button>
      )}
      {mayWrite && current && <DeleteSaved noun={noun} report={current.report} />}
      {toSave && (
        <FormDialog opened={opened} onClose={close} title={`Save this ${noun}`}>
          <SaveForm noun={noun} keeps={keeps} toSave={toSave} onDone={close} />
        </FormDialog>
      )}
    </Group>
  );
}

function SaveForm({ noun, keeps, toSave, onDone }: { noun: Noun; keeps: string; toSave: ToSave; onDone: () => void }) {
  const form = useForm({ initialValues: { name: '' }, validate: { name: required('Enter a name.') } });
  const saving = useSave();
  const save = ({ name }: typeof form.values) =>
    saving.mutate(toSave(name.trim()), {
      onSuccess: (report) => {
        onDone();
        notifications.show({ message: `The ${noun} ${report.name} was saved.` });
      },
    });
  return (
    <Form form={form} saving={saving} onSubmit={save}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description={`${keeps} Everyone in the account can see it.`}
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <FormActions submit={`Save ${noun}`} failed={`Couldn't save the ${noun}`} cancel={onDone} />
      </Stack>
    </Form>
  );
}

function DeleteSaved({ noun, report }: { noun: Noun; report: SavedReport }) {
  const deletion = useDeleteSaved(report.id);
  return (
    <ConfirmButton
      label={`Delete ${noun}`}
      title={`Delete this ${noun}?`}
      confirm="Delete"
      failed={`Couldn't delete the ${noun}`}
      mutation={deletion}
      onConfirm={(options) => deletion.mutate(undefined, options)}
      done={`The ${noun} ${report.name} was deleted.`}
    >
      <Text size="sm">
        <strong>{report.name}</strong> is deleted for everyone in the account. No data is lost.
      </Text>
    </ConfirmButton>
  );
}

import { Button, Group, Menu, Stack, TextInput } from '@mantine/core';
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
import { defaultDays } from './leadpulse-search.ts';
import { type ReportRequest, type ReportSearch, requestOf, searchOf } from './report-search.ts';
import { type NewSavedReport, useSavedReports, useSaveView } from './saved-views.ts';
import { DeleteView } from './saved-views.tsx';

/** A report as it is saved: its request, and the days or the fixed range. */
function savedOf(name: string, wanted: ReportRequest, { days = defaultDays, from, to }: ReportSearch): NewSavedReport {
  const range = from !== undefined && to !== undefined ? { from, to } : undefined;
  const at = { name, days: range ? null : days };
  // One branch for each kind, because the request belongs to its kind.
  if (wanted.kind === 'funnel') return { ...at, report: { kind: 'funnel', request: { ...wanted.request, ...range } } };
  if (wanted.kind === 'retention') return { ...at, report: { kind: 'retention', request: { ...wanted.request, ...range } } };
  return { ...at, report: { kind: 'paths', request: { ...wanted.request, ...range } } };
}

/** What two pages must have in common to show the same report. */
const shownBy = (search: ReportSearch) => ({
  ...requestOf(search),
  days: search.from === undefined ? (search.days ?? defaultDays) : null,
  from: search.from,
  to: search.to,
});

/** Opens a saved report, and saves the current one or deletes it. */
export function SavedReports({ search }: { search: ReportSearch }) {
  const { views, error } = useSavedReports(searchOf);
  const { mayWrite } = usePermission();
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure(false);
  const wanted = requestOf(search);
  const current = views.find((view) => isEqual(shownBy(view.search), shownBy(search)));
  return (
    <Group gap="sm">
      {(views.length > 0 || error) && (
        <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <Button variant="default" leftSection={<IconBookmark size={16} aria-hidden />}>
              {current?.report.name ?? 'Saved reports'}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {error && <Menu.Label>Couldn't load the saved reports</Menu.Label>}
            {views.map((view) => (
              <Menu.Item key={view.report.id} onClick={() => void navigate({ to: '/leadpulse/reports', search: view.search })}>
                {view.report.name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {mayWrite && wanted && !current && (
        <Button variant="default" onClick={open}>
          Save report
        </Button>
      )}
      {mayWrite && current && <DeleteView report={current.report} />}
      {wanted && (
        <FormDialog opened={opened} onClose={close} title="Save this report">
          <SaveForm wanted={wanted} search={search} onDone={close} />
        </FormDialog>
      )}
    </Group>
  );
}

function SaveForm({ wanted, search, onDone }: { wanted: ReportRequest; search: ReportSearch; onDone: () => void }) {
  const form = useForm({ initialValues: { name: '' }, validate: { name: required('Enter a name.') } });
  const saving = useSaveView();
  const save = ({ name }: typeof form.values) =>
    saving.mutate(savedOf(name.trim(), wanted, search), {
      onSuccess: (report) => {
        onDone();
        notifications.show({ message: `The report ${report.name} was saved.` });
      },
    });
  return (
    <Form form={form} saving={saving} onSubmit={save}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="The report is recalculated whenever it is opened. Everyone in the account sees it."
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <FormActions submit="Save report" failed="Couldn't save the report" cancel={onDone} />
      </Stack>
    </Form>
  );
}

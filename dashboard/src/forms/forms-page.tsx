import { Anchor, Text } from '@mantine/core';
import { IconExternalLink, IconForms, IconPlus } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ToggleChip } from '../lists/chips.tsx';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { count } from '../numbers/format-number.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { Status } from '../page/status.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { formSearch } from './form-search.ts';
import classes from './forms.module.css';
import { type Form, type FormSummary, useForms, useStoredForm } from './forms.ts';

const columns: readonly Column<FormSummary>[] = [
  {
    name: 'Form',
    sort: 'name',
    width: 'minmax(0, 3fr)',
    cell: ({ id, name }) => (
      <RowLink to="/contacts/forms/$id" params={{ id }}>
        {name}
      </RowLink>
    ),
  },
  { name: 'Status', width: '110px', wideOnly: true, cell: ({ status }) => <FormStatus status={status} /> },
  {
    name: 'Fields',
    width: '76px',
    alignEnd: true,
    wideOnly: true,
    cell: (form) => <Content of={form} show={({ fields }) => count(fields.length)} />,
  },
  { name: 'Double opt-in', width: '120px', wideOnly: true, cell: (form) => <Content of={form} show={optIn} /> },
  { name: 'Updated', width: '138px', wideOnly: true, sort: 'updated_at', cell: ({ updated_at }) => <RelativeTime at={updated_at} /> },
  { name: 'Page', width: '104px', cell: (form) => form.status === 'active' && <PageLink form={form} /> },
];

const FormStatus = ({ status }: Pick<FormSummary, 'status'>) =>
  status === 'active' ? <Status tone="good">Active</Status> : <Status tone="over">Archived</Status>;

const optIn = ({ consents, double_opt_in }: Form) => (consents.length === 0 ? 'No consent' : double_opt_in.enabled ? 'On' : 'Off');

/** What the list does not contain, read for the rows in view. */
function Content({ of: { id, revision }, show }: { of: FormSummary; show: (form: Form) => string }) {
  const { data } = useStoredForm(id, revision);
  return data ? show(data) : '…';
}

const PageLink = ({ form }: { form: FormSummary }) => (
  <Anchor
    href={form.url}
    target="_blank"
    rel="noreferrer"
    size="sm"
    className={classes.page ?? ''}
    aria-label={`Open the page of ${form.name}`}
  >
    Open <IconExternalLink size={14} aria-label="opens in a new tab" style={{ verticalAlign: '-2px' }} />
  </Anchor>
);

export function FormsPage() {
  const search = useSearch({ from: '/signed-in/contacts/forms' });
  const { sort = '-created_at', status = 'active' } = search;
  const navigate = useNavigate();
  const { mayWrite } = usePermission();
  const forms = useForms({ sort, status });
  const show = (change: Record<string, unknown>) => void navigate({ to: '/contacts/forms', search: formSearch({ ...search, ...change }) });

  return (
    <ListPage
      title="Forms"
      describes="How people sign up: on a page of their own, or inside your website."
      action={
        mayWrite && (
          <ButtonLink to="/contacts/forms/new" leftSection={<IconPlus size={16} aria-hidden />}>
            New form
          </ButtonLink>
        )
      }
      of="forms"
      list={forms}
      columns={columns}
      sort={sort}
      onSort={(wanted) => show({ sort: wanted })}
      empty={status === 'archived' ? <Text c="dimmed">No archived forms.</Text> : <NoForms />}
      filters={
        <ToggleChip
          label="Archived"
          checked={status === 'archived'}
          onChange={(checked) => show({ status: checked ? 'archived' : undefined })}
        />
      }
    />
  );
}

const NoForms = () => {
  const { mayWrite } = usePermission();
  return (
    <EmptyState title="No forms yet" icon={IconForms} action={mayWrite && <ButtonLink to="/contacts/forms/new">Create a form</ButtonLink>}>
      A form lets people sign up themselves. Its page works at once, and their consent is confirmed by email and kept as evidence.
    </EmptyState>
  );
};

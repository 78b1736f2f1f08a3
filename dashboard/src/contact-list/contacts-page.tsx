import { Stack, Text } from '@mantine/core';
import { IconPencil, IconPlus, IconUsers } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { type ContactSearch, contactSearch, isNarrowed } from '../contacts/contact-search.ts';
import { useContactCount, useContacts } from '../contacts/contacts.ts';
import { UnsavedChanges } from '../form/unsaved-changes.tsx';
import { Toolbar } from '../lists/chips.tsx';
import { ColumnMenu } from '../lists/column-menu.tsx';
import { ListView } from '../lists/list-view.tsx';
import { RowAction } from '../lists/row-actions.tsx';
import { useColumns } from '../lists/use-columns.ts';
import { counted } from '../numbers/format-number.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { Page } from '../page/page.tsx';
import { usePermission } from '../session/permission.ts';
import { ListViews } from '../views/list-views.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { useContactColumns } from './contact-columns.tsx';
import { ContactFilters } from './contact-filters.tsx';
import { useEditCells } from './use-edit-cells.ts';
import { useSelection } from './use-selection.tsx';

export function ContactsPage() {
  const search = useSearch({ from: '/signed-in/contacts' });
  const navigate = useNavigate();
  const { mayWrite } = usePermission();
  const contacts = useContacts(search);
  const { data: total } = useContactCount();
  const cells = useEditCells();
  const openEdits = useSyncExternalStore(cells.edits.subscribeToCount, cells.edits.count);
  const { columns: chosen, choices, shown, setShown } = useColumns('contacts', useContactColumns(cells));
  const { column, select, selected, isAll, selectAll, clear } = useSelection(search, contacts.rows);
  const mayHaveContacts = total !== 0 || isNarrowed(search);
  const show = (next: ContactSearch) => void navigate({ to: '/contacts', search: next });

  return (
    <Page
      title="Contacts"
      describes={total === undefined ? 'People you can reach' : counted(total, 'contact')}
      action={
        mayWrite && (
          <ButtonLink to="/contacts/new" leftSection={<IconPlus size={16} aria-hidden />}>
            New contact
          </ButtonLink>
        )
      }
    >
      {/* An edit stays open when it could not be saved, or when its row is out of view. */}
      <UnsavedChanges when={openEdits > 0} />
      <Stack gap="md">
        {/* Also while the list loads: a button that moves between mouse down and mouse up loses the click. */}
        {mayHaveContacts && (
          <Toolbar
            end={
              <>
                <ListViews of="contacts" search={search} isNarrowed={isNarrowed(search)} parse={contactSearch} onShow={show} />
                <ColumnMenu choices={choices} shown={shown} onShow={setShown} />
              </>
            }
          >
            <ContactFilters search={search} onSearch={show} />
          </Toolbar>
        )}
        {mayWrite && (selected > 0 || isAll) && (
          <BulkBar select={select} selected={selected} isAll={isAll} onAll={selectAll} onClear={clear} />
        )}
        <ListView
          of="contacts"
          list={contacts}
          columns={mayWrite ? [column, ...chosen] : chosen}
          keyOf={({ id }) => id}
          actions={
            mayWrite
              ? ({ id }) => (
                  <RowAction label="Edit contact" to="/contacts/$id/edit" params={{ id }}>
                    <IconPencil size={16} stroke={1.7} aria-hidden />
                  </RowAction>
                )
              : undefined
          }
          {...(search.q === undefined && {
            sort: search.sort ?? '-created_at',
            onSort: (sort: string) => show(contactSearch({ ...search, sort })),
          })}
          empty={isNarrowed(search) ? <Text c="dimmed">No contacts match these filters.</Text> : <NoContacts />}
        />
      </Stack>
    </Page>
  );
}

const NoContacts = () => {
  const { mayWrite } = usePermission();
  return (
    <EmptyState
      title="No contacts yet"
      icon={IconUsers}
      action={
        mayWrite && (
          <>
            <ButtonLink to="/contacts/imports/new">Import contacts</ButtonLink>
            <ButtonLink to="/contacts/new" variant="default">
              Add a contact
            </ButtonLink>
          </>
        )
      }
    >
      Contacts are the people you email. Import them from a spreadsheet or another tool, or add them one by one.
    </EmptyState>
  );
};

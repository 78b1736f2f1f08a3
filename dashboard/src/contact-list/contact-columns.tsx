import { useDeclaredTypes } from '../contact-fields/attributes.ts';
import { attributeText } from '../contacts/attribute-text.ts';
import { ContactStatus } from '../contacts/contact-status.tsx';
import { type Contact, nameOf } from '../contacts/contacts.ts';
import type { Column } from '../lists/list-table.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { attributeIn, type CellField, fitsInput } from './cell-field.ts';
import { CellValue } from './cell-value.tsx';
import { EditableCell } from './editable-cell.tsx';
import type { EditCells } from './use-edit-cells.ts';

/** The columns of the list, with one for each attribute of the account. Users with write permission edit texts, numbers and tags in place. */
export function useContactColumns(cells: EditCells): Column<Contact>[] {
  const declared = useDeclaredTypes();
  const { mayWrite } = usePermission();

  const columnOf = (name: string, cell: CellField): Column<Contact> => ({
    name,
    width: 'minmax(0, 1fr)',
    wideOnly: true,
    cell: (contact) =>
      mayWrite && fitsInput(contact, cell) ? (
        <EditableCell contact={contact} cell={cell} cells={cells} />
      ) : (
        <CellValue contact={contact} cell={cell} />
      ),
  });
  const fields: Column<Contact>[] = [
    contactColumn,
    { ...columnOf('First name', { label: 'first name', field: 'first_name' }), isExtra: true },
    { ...columnOf('Last name', { label: 'last name', field: 'last_name' }), isExtra: true },
    columnOf('Company', { label: 'company', field: 'company' }),
    { ...columnOf('Job title', { label: 'job title', field: 'job_title' }), isExtra: true },
    { ...columnOf('Tags', { label: 'tags', field: 'tags' }), width: 'minmax(0, 1.4fr)' },
    ...others,
  ];
  const attributes = [...declared].map(([key, type]): Column<Contact> => {
    const name = fields.some((field) => field.name === key) ? `${key} (attribute)` : key;
    if (type === 'string' || type === 'number') return { ...columnOf(name, { label: key, attribute: key, type }), isExtra: true };
    return {
      name,
      width: 'minmax(0, 1fr)',
      wideOnly: true,
      isExtra: true,
      cell: (contact) => attributeText(attributeIn(contact, key)),
    };
  });
  return [...fields, ...attributes];
}

const contactColumn: Column<Contact> = {
  name: 'Contact',
  width: 'minmax(0, 2.2fr)',
  cell: (contact) => (
    <RowLink to="/contacts/$id" params={{ id: contact.id }} under={nameOf(contact) === contact.email ? null : contact.email}>
      {nameOf(contact)}
    </RowLink>
  ),
};

const others: readonly Column<Contact>[] = [
  { name: 'Status', width: '150px', cell: ({ status }) => <ContactStatus status={status} /> },
  { name: 'Email', width: 'minmax(0, 1.4fr)', wideOnly: true, isExtra: true, cell: ({ email }) => email },
  { name: 'Phone', width: '150px', wideOnly: true, isExtra: true, cell: ({ phone }) => phone },
  { name: 'External ID', width: 'minmax(0, 1fr)', wideOnly: true, isExtra: true, cell: ({ external_id }) => external_id },
  { name: 'City', width: 'minmax(0, 1fr)', wideOnly: true, isExtra: true, cell: ({ address }) => address?.city },
  { name: 'Source', width: '110px', wideOnly: true, isExtra: true, cell: ({ source }) => source },
  {
    name: 'Last seen',
    width: '138px',
    wideOnly: true,
    isExtra: true,
    cell: ({ last_seen_at }) => last_seen_at && <RelativeTime at={last_seen_at} />,
  },
  { name: 'Created', width: '138px', wideOnly: true, sort: 'created_at', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
  {
    name: 'Updated',
    width: '138px',
    wideOnly: true,
    isExtra: true,
    sort: 'updated_at',
    cell: ({ updated_at }) => <RelativeTime at={updated_at} />,
  },
];

import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, responseData, useApi } from '../api/api.ts';
import { RequestFailed } from '../api/errors.ts';
import { type Contact, contactKey, contactListKey, contactsKey, nameOf, putContact, updateListedContact } from '../contacts/contacts.ts';
import { createCellEdits } from './cell-edits.ts';
import { type CellField, cellChange, cellKey, cellText, withCellText } from './cell-field.ts';

export type EditCells = ReturnType<typeof useEditCells>;

type Saving = { cell: CellField; base: Contact; text: string };

/** Edits of single fields in the list. The list shows a change at once, and takes it back if it cannot be saved. */
export function useEditCells() {
  const api = useApi();
  const queries = useQueryClient();
  const [edits] = useState(createCellEdits);
  const { mutate: save } = useMutation({
    // One after another, because each save of a contact needs the revision that the one before created.
    scope: { id: 'contact cells' },
    mutationFn: (saving: Saving) => saveCell(api, saving),
    onMutate: async ({ cell, base, text }) => {
      // Not a list that is loaded for the first time: nothing would load it again.
      await queries.cancelQueries({ queryKey: contactListKey, predicate: ({ state }) => state.data !== undefined });
      updateListedContact(queries, base.id, (contact) => withCellText(contact, cell, text));
    },
    onSuccess: (contact, { base }) => {
      updateListedContact(queries, base.id, () => contact);
      queries.setQueryData(contactKey(contact.id), contact);
      // The list stays as it is: a contact that no longer matches its filters must not vanish under the cursor.
      void queries.invalidateQueries({ queryKey: contactsKey, refetchType: 'none' });
    },
    onError: (error, { cell, base, text }) => {
      const stored = error instanceof FieldChanged ? error.contact : undefined;
      updateListedContact(queries, base.id, (contact) => stored ?? withCellText(contact, cell, cellText(base, cell)));
      const key = cellKey(base.id, cell);
      const message = messageOf(error);
      edits.set(key, { base: stored ?? base, text: edits.get(key)?.text ?? text, error: message });
      if (!edits.isShown(key)) notifications.show({ color: 'red', title: `Couldn't save the ${cell.label} of ${nameOf(base)}`, message });
    },
  });
  return { edits, save };
}

/** Another user or program has changed the field since the edit began. */
class FieldChanged extends Error {
  readonly contact: Contact;

  constructor(contact: Contact, cell: CellField) {
    const text = cellText(contact, cell);
    super(`${text === '' ? 'It was cleared' : `It was changed to “${text}”`} in the meantime. Save again to replace it.`);
    this.name = 'FieldChanged';
    this.contact = contact;
  }
}

/** Saves the field. A change of the contact's other fields in the meantime is not a conflict. */
async function saveCell(api: Api, { cell, base, text }: Saving): Promise<Contact> {
  const change = cellChange(cell, text);
  try {
    return await putContact(api, base, change);
  } catch (error) {
    if (!(error instanceof RequestFailed && error.code === 'PRECONDITION_FAILED')) throw error;
    const stored = await responseData(api.GET('/v2/contacts/{id}', { params: { path: { id: base.id } } }));
    const unchanged = [base, withCellText(base, cell, text)].map((contact) => cellText(contact, cell));
    if (!unchanged.includes(cellText(stored, cell))) throw new FieldChanged(stored, cell);
    return putContact(api, stored, change);
  }
}

const messageOf = (error: Error) => (error instanceof RequestFailed && error.details[0]?.message) || error.message;

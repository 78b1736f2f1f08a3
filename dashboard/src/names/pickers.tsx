import { type Option, Picker, type PickerProps } from '../form/picker.tsx';
import { useAllTemplates, useAllUsers, useAllWorkflows } from './all-names.ts';
import { useNames } from './names.ts';

export function SegmentPicker({ isStatic = false, ...props }: PickerProps & { isStatic?: boolean }) {
  const { segments } = useNames();
  const options = segments.filter(({ kind }) => !isStatic || kind === 'static').map(({ id, name }) => ({ value: id, label: name }));
  return <Picker {...props} options={options} nothing={isStatic ? 'No static segments' : 'No segments'} />;
}

export function TemplatePicker(props: PickerProps) {
  const { rows } = useAllTemplates();
  return <Picker {...props} options={rows.map(({ id, name }) => ({ value: id, label: name }))} nothing="No templates" />;
}

export function WorkflowPicker(props: PickerProps) {
  const { rows } = useAllWorkflows();
  return <Picker {...props} options={rows.map(({ id, name }) => ({ value: id, label: name }))} nothing="No workflows" />;
}

export function CampaignPicker(props: PickerProps) {
  const { campaigns } = useNames();
  return <Picker {...props} options={campaigns.map(({ id, name }) => ({ value: id, label: name }))} nothing="No campaigns" />;
}

export function FormPicker({ more = [], ...props }: PickerProps & { more?: readonly Option[] }) {
  const { forms } = useNames();
  return <Picker {...props} options={[...more, ...forms.map(({ id, name }) => ({ value: id, label: name }))]} nothing="No forms" />;
}

export function UserPicker(props: PickerProps) {
  const { rows } = useAllUsers();
  return (
    <Picker {...props} options={rows.map(({ id, name, email }) => ({ value: id, label: name || (email ?? id) }))} nothing="No users" />
  );
}

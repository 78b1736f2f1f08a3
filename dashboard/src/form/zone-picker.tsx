import { Picker, type PickerProps } from './picker.tsx';

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

export const ZonePicker = (props: PickerProps) => (
  <Picker {...props} options={zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))} nothing="No time zone" />
);

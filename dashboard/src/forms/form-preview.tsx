import { SegmentedControl } from '@mantine/core';
import { type CSSProperties, useState } from 'react';
import { textOn } from '../email-design/colors.ts';
import { shownSource } from '../email-frame/image-source.ts';
import { Panel } from '../page/panel.tsx';
import type { FieldDraft, FormDraft } from './form-draft.ts';
import classes from './form-preview.module.css';
import { type Language, type Texts, textIn } from './texts.ts';

type Props = { draft: FormDraft; language: Language };

const isColor = (value: string) => /^#[0-9a-f]{6}$/i.test(value);
const inputTypes = { email: 'email', phone: 'tel', number: 'number', date: 'date' } as const;

/** The form as visitors will see it, as it is typed. Nothing in it can be used, so that nobody mistakes it for the fields of the builder. */
export function FormPreview({ draft, language }: Props) {
  const [width, setWidth] = useState('desktop');
  const { look, fields, consents, language: fallback } = draft;
  const [colors, setColors] = useState(look);
  // While a color is typed, the last valid ones are shown.
  if (colors !== look && [look.primary, look.background, look.surface, look.text].every(isColor)) setColors(look);
  const style = {
    '--form-background': colors.background,
    '--form-surface': colors.surface,
    '--form-text': colors.text,
    '--form-primary': colors.primary,
    '--form-on-primary': textOn(colors.primary),
  } as CSSProperties;
  const say = (texts: Texts) => textIn(texts, language, fallback);
  const logo = shownSource(look.logo_url);
  return (
    <Panel
      title="Preview"
      action={
        <SegmentedControl
          size="xs"
          aria-label="Width of the preview"
          data={[
            { value: 'desktop', label: 'Desktop' },
            { value: 'phone', label: 'Phone' },
          ]}
          value={width}
          onChange={setWidth}
        />
      }
    >
      <div className={classes.screen} style={style} {...(width === 'phone' && { 'data-narrow': '' })} lang={language} inert>
        <div className={classes.form}>
          {logo && <img src={logo} alt="" className={classes.logo} />}
          {say(draft.title) !== '' && <h3>{say(draft.title)}</h3>}
          {say(draft.description) !== '' && <p>{say(draft.description)}</p>}
          {fields.map((field) => (
            <Field key={field.key} field={field} say={say} />
          ))}
          {consents.map(({ key, text, display }) =>
            display === 'notice' ? (
              <p key={key} className={classes.label}>
                {say(text)}
              </p>
            ) : (
              <Tick key={key} label={say(text)} />
            ),
          )}
          <button type="button" className={classes.button}>
            {say(draft.submit_label) || 'Submit'}
          </button>
        </div>
      </div>
    </Panel>
  );
}

const Tick = ({ label }: { label: string }) => (
  <label className={classes.tick}>
    <input type="checkbox" /> <span>{label}</span>
  </label>
);

function Field({ field: { type, label, required, options }, say }: { field: FieldDraft; say: (texts: Texts) => string }) {
  const caption = `${say(label) || '…'}${required ? ' (required)' : ''}`;
  if (type === 'checkbox') return <Tick label={caption} />;
  return (
    <div className={classes.label}>
      {caption}
      {type === 'textarea' ? (
        <textarea aria-label={caption} rows={3} className={classes.input} />
      ) : type === 'select' ? (
        <select aria-label={caption} className={classes.input}>
          <option>Choose…</option>
          {options.map((option, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a new option has no identity except its position.
            <option key={index}>{say(option.label)}</option>
          ))}
        </select>
      ) : (
        <input aria-label={caption} type={type === 'text' ? 'text' : inputTypes[type]} className={classes.input} />
      )}
    </div>
  );
}

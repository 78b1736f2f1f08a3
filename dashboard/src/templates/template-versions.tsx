import { Versions } from '../editor/versions.tsx';
import { subjectInWords } from '../email-design/merge-fields.ts';
import { MailFrame } from '../email-frame/email-frame.tsx';
import { type TemplateVersion, useTemplateVersions } from './templates.ts';

type Props = {
  id: string;
  /** The current version. */
  version: number;
  /** Puts a version into the form; nothing is saved yet. */
  onRestore: (version: TemplateVersion) => void;
};

/** The versions of a template, each with its email. */
export const TemplateVersions = ({ id, version: current, onRestore }: Props) => (
  <Versions
    id={id}
    current={current}
    useVersions={useTemplateVersions}
    note={({ subject }) => (subject ? ` · ${subjectInWords(subject)}` : '')}
    show={({ version, html, text }) => <MailFrame html={html || (text ?? '')} title={`Version ${version}`} />}
    onRestore={onRestore}
  />
);

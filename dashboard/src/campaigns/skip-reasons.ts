const words: Readonly<Record<string, string>> = {
  no_address: 'no email address',
  unsubscribed: 'unsubscribed',
  pending_opt_in: 'consent not confirmed yet',
  suppressed: 'suppressed',
  bounced_before: 'bounced before',
  excluded: 'excluded from the audience',
  deleted: 'deleted',
  template_error: 'the email could not be rendered',
  cancelled: 'campaign cancelled before sending',
};

/** Why a recipient was skipped, in words. A reason that this page does not know is shown as its code. */
export const skipReasonWords = (reason: string) => words[reason] ?? reason.replaceAll('_', ' ');

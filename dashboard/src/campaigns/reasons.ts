const words: Readonly<Record<string, string>> = {
  no_address: 'has no e-mail address',
  unsubscribed: 'unsubscribed',
  pending_opt_in: 'has not confirmed yet',
  suppressed: 'is on the suppression list',
  bounced_before: 'mail bounced before',
  excluded: 'is excluded by the audience',
  deleted: 'was deleted',
  template_error: 'the mail cannot be made for them',
  cancelled: 'the campaign was cancelled first',
};

/** Why somebody does not get the mail; a reason that is newer than this page is shown as it is. */
export const reasonWords = (reason: string) => words[reason] ?? reason.replaceAll('_', ' ');

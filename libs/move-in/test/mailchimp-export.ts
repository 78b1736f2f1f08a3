import { strToU8, zipSync } from 'fflate';

const at = '2024-03-01 10:00:00';

/** The ZIP file of a Mailchimp account export: one audience with `count` subscribed members, and a template. */
export function mailchimpExport(count: number): Uint8Array {
  const subscribed = Array.from({ length: count }, (_, index) => `p${index}@example.com,Ada,39,"${at}",203.0.113.7,"""vip"""`);
  const files = {
    'lists/News/subscribed_members_export_0a1b2c3d.csv': [
      'Email Address,First Name,Shoe size,CONFIRM_TIME,CONFIRM_IP,TAGS',
      ...subscribed,
      'not an address,,,,,',
    ].join('\n'),
    'lists/News/unsubscribed_members_export_0a1b2c3d.csv': `Email Address,UNSUB_TIME,UNSUB_REASON\nleft@example.com,"${at}",Too many`,
    'lists/News/cleaned_members_export_0a1b2c3d.csv': `Email Address,CLEAN_TIME\nbad@example.com,"${at}"`,
    'templates/Welcome.html': '<p>Hi *|FNAME|* of *|LIST:NAME|*</p><a href="*|UNSUB|*">Leave</a>',
  };
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
}

import { CampaignReport } from '@mp/contracts/requests/campaigns';
import { WorkflowReport } from '@mp/contracts/requests/workflows';
import { trustedId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Mail } from '../users/mailer.ts';
import type { ReportEmailRow } from './report-email.ts';
import { campaignNumbers, workflowNumbers } from './report-text.ts';
import type { StopLinks } from './stop-links.ts';

type Deps = { broker: Pick<Broker, 'request'>; stopLinks: StopLinks; publicUrl: string };
type Named = { name: string; as_of: string; numbers: string; path: string; noun: string };

export type ComposeReport = ReturnType<typeof createComposeReport>;

/** Writes the email of a report as it is now. Undefined if the campaign or workflow no longer exists. Throws while its service is away. */
export function createComposeReport({ broker, stopLinks, publicUrl }: Deps) {
  async function read({ account_id, campaign_id, workflow_id }: ReportEmailRow): Promise<Named | undefined> {
    if (workflow_id !== null) {
      const { report } = await broker.request(WorkflowReport, { account_id, workflow_id });
      return report ? { ...report, numbers: workflowNumbers(report), path: `/workflows/${workflow_id}`, noun: 'workflow' } : undefined;
    }
    if (campaign_id === null) return undefined;
    const { report } = await broker.request(CampaignReport, { account_id, campaign_id });
    return report ? { ...report, numbers: campaignNumbers(report), path: `/campaigns/${campaign_id}`, noun: 'campaign' } : undefined;
  }

  return async (row: ReportEmailRow, { to, user_id, zone }: { to: string; user_id: string; zone: string }): Promise<Mail | undefined> => {
    const found = await read(row);
    if (!found) return undefined;
    const name = found.name.replaceAll(/\s+/g, ' ');
    const until = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: zone }).format(new Date(found.as_of));
    const stop = stopLinks.urlOf({ account_id: row.account_id, report_id: row.id, user_id: trustedId<'user'>(user_id) });
    const when = row.weekly ? `every ${capital(row.weekly.weekday)} at ${row.weekly.time} (${zone})` : 'once';
    return {
      to,
      subject: `Report: ${name}`,
      text: [
        `The ${found.noun} “${name}”, up to ${until} (${zone}):`,
        found.numbers,
        `${publicUrl}${found.path}`,
        `This report is sent to you ${when}. Stop it: ${stop}`,
      ].join('\n\n'),
      headers: { 'List-Unsubscribe': `<${stop}>`, 'Auto-Submitted': 'auto-generated' },
    };
  };
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

import { List, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { useCampaign, useMessageStory } from '../campaigns/campaigns.ts';
import { deliveryReasonLabel } from '../campaigns/delivery-reasons.ts';
import { RecipientStatus } from '../campaigns/recipient-status.tsx';
import { nameOf, useContact } from '../contacts/contacts.ts';
import { TextLink } from '../page/button-link.tsx';
import { DescriptionList } from '../page/description-list.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Columns, Panel } from '../page/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';

/** One recipient of a campaign: delivery, reasons, opens and clicks. */
export function MessagePage() {
  const { id, contactId } = useParams({ from: '/signed-in/campaigns/$id/messages/$contactId' });
  const { data: campaign } = useCampaign(id);
  const { data: contact } = useContact(contactId);
  const { data: story, error, refetch } = useMessageStory(id, contactId);
  const recipient = story?.recipient;

  return (
    <Page
      title={`${campaign?.name ?? 'Campaign'} to ${contact ? nameOf(contact) : (recipient?.address ?? contactId)}`}
      back={
        <BackLink to="/campaigns/$id" params={{ id }}>
          {campaign?.name ?? 'Campaign'}
        </BackLink>
      }
      action={
        contact && (
          <Text size="sm">
            <TextLink to="/contacts/$id" params={{ id: contactId }}>
              View contact
            </TextLink>
          </Text>
        )
      }
    >
      {error && <ErrorAlert error={error} title="Couldn't load the message" onRetry={() => void refetch()} />}
      {!story && !error && <Outline of="the message" />}
      {story && (
        <Stack gap="lg">
          <Text>{story.explanation}</Text>
          <Columns>
            {recipient && (
              <Panel title="Message">
                <DescriptionList
                  items={{
                    Status: <RecipientStatus state={recipient.status} />,
                    Reason: recipient.reason && deliveryReasonLabel(recipient.reason),
                    'Mail server response': recipient.detail,
                    Address: recipient.address,
                    Attempts: recipient.attempts,
                    'Next attempt': recipient.next_attempt_at && <RelativeTime at={recipient.next_attempt_at} />,
                    Sent: recipient.sent_at && <RelativeTime at={recipient.sent_at} />,
                    'Message ID': recipient.message_id && <code>{recipient.message_id}</code>,
                  }}
                />
              </Panel>
            )}
            <Panel title="Activity">
              {story.engagements.length === 0 && (
                <Text size="sm" c="dimmed">
                  No activity yet
                </Text>
              )}
              <List size="sm" spacing={6} listStyleType="none">
                {story.engagements.map(({ kind, at, url, machine }) => (
                  <List.Item key={`${kind} ${at} ${url}`}>
                    {kind.slice(0, 1).toUpperCase() + kind.slice(1)} {url} <RelativeTime at={at} />
                    {machine && (
                      <Text span inherit c="dimmed">
                        {' '}
                        (automated: {machine})
                      </Text>
                    )}
                  </List.Item>
                ))}
              </List>
            </Panel>
          </Columns>
        </Stack>
      )}
    </Page>
  );
}

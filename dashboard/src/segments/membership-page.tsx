import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useApi } from '../api/api.ts';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { nameOf, useContact } from '../contacts/contacts.ts';
import { useNames } from '../names/names.ts';
import { TextLink } from '../page/button-link.tsx';
import { DescriptionList } from '../page/description-list.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { Status } from '../page/status.tsx';
import { ExplanationTree } from '../rules/rule-tree.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { membershipQuery } from './memberships.ts';
import { useSegment } from './segments.ts';

/** Explains why a contact is or is not in a segment. */
export function MembershipPage() {
  const { id, contactId } = useParams({ from: '/signed-in/segments/$id/contacts/$contactId' });
  const { data: segment } = useSegment(id);
  const { data: contact } = useContact(contactId);
  const { data: membership, error, refetch } = useQuery(membershipQuery(useApi(), id, contactId));
  const { named } = useNames();
  const who = contact ? nameOf(contact) : 'This contact';

  return (
    <Page
      title={`${who} in ${segment?.name ?? 'the segment'}`}
      back={
        <BackLink to="/segments/$id" params={{ id }}>
          {segment?.name ?? 'Segment'}
        </BackLink>
      }
      action={
        <Text size="sm">
          <TextLink to="/contacts/$id" params={{ id: contactId }}>
            View contact
          </TextLink>
        </Text>
      }
    >
      {error && <ErrorAlert error={error} title="Couldn't load the explanation" onRetry={() => void refetch()} />}
      {!membership && !error && <Outline of="the explanation" />}
      {membership && (
        <Stack gap="lg">
          <Panel title="Membership">
            <DescriptionList
              items={{
                'In the segment': <Status tone={membership.member ? 'good' : 'over'}>{membership.member ? 'Yes' : 'No'}</Status>,
                Entered: membership.entered_at && <RelativeTime at={membership.entered_at} />,
                Left: membership.left_at && <RelativeTime at={membership.left_at} />,
                'Next change': membership.flips_at ? <RelativeTime at={membership.flips_at} /> : 'Only after new activity',
              }}
            />
          </Panel>
          <Panel title="Why">
            <ExplanationTree explanation={membership.explanation} named={named} />
          </Panel>
        </Stack>
      )}
    </Page>
  );
}

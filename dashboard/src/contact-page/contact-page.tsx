import { Group, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Loaded } from '../api/loaded.tsx';
import { ContactConsent } from '../consent/contact-consent.tsx';
import { attributeText } from '../contacts/attribute-text.ts';
import { ContactAvatar } from '../contacts/contact-avatar.tsx';
import { ContactStatus } from '../contacts/contact-status.tsx';
import { type Contact, nameOf, useContact } from '../contacts/contacts.ts';
import { countryName, languageName } from '../contacts/locale-names.ts';
import { Tags } from '../contacts/tags.tsx';
import { ContactMerges } from '../merges/contact-merges.tsx';
import { MergeContact } from '../merges/merge-contact.tsx';
import { SendMessage } from '../messages/send-message.tsx';
import { count, money } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { ButtonLink, TextLink } from '../page/button-link.tsx';
import { DescriptionList } from '../page/description-list.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { ContactTimeline } from '../timeline/contact-timeline.tsx';
import { useContactOrders } from './contact-orders.ts';
import classes from './contact-page.module.css';
import { ContactSegments } from './contact-segments.tsx';
import { DeleteContact } from './delete-contact.tsx';

export function ContactPage() {
  const { id } = useParams({ from: '/signed-in/contacts/$id' });
  const query = useContact(id);
  const { data: contact } = query;
  const { mayWrite } = usePermission();

  return (
    <Page
      title={contact ? nameOf(contact) : 'Contact'}
      describes={contact && <Summary contact={contact} />}
      avatar={contact && <ContactAvatar contact={contact} />}
      back={<BackLink to="/contacts">Contacts</BackLink>}
      action={
        contact &&
        mayWrite && (
          <Group gap="sm">
            <SendMessage contact={contact} />
            <ButtonLink to="/contacts/$id/edit" params={{ id }} variant="default">
              Edit
            </ButtonLink>
            <MergeContact contact={contact} />
            <DeleteContact contact={contact} />
          </Group>
        )
      }
    >
      <Loaded of="the contact" query={query}>
        {(loaded) => (
          <div className={classes.body}>
            <div className={classes.main}>
              <Purchases id={loaded.id} />
              <ContactTimeline
                contact={loaded}
                action={
                  <Text size="sm">
                    <TextLink to="/leadpulse/visitors" search={{ contact_id: loaded.id }}>
                      View website activity
                    </TextLink>
                  </Text>
                }
              />
            </div>
            <About contact={loaded} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** Who it is, at a glance. */
const Summary = ({ contact }: { contact: Contact }) => (
  <>
    <ContactStatus status={contact.status} />
    {[nameOf(contact) === contact.email ? null : contact.email, contact.job_title, contact.company, contact.address?.city]
      .filter(Boolean)
      .map((fact) => ` · ${fact}`)}
  </>
);

/** What the contact bought; nothing before the first order. */
function Purchases({ id }: { id: string }) {
  const { data: orders } = useContactOrders(id);
  if (!orders || orders.count === 0) return null;
  const under = orders.isPart ? 'in the latest 1,000 events' : undefined;
  return (
    <Metrics label="Purchases">
      {orders.revenue.map(({ amount, currency }) => (
        <Metric key={currency} label="Revenue" value={money(amount, currency)} under={under} />
      ))}
      <Metric label="Orders" value={count(orders.count)} under={under} />
    </Metrics>
  );
}

function About({ contact }: { contact: Contact }) {
  const { address, tags, attributes } = contact;
  const place = [
    address?.line1,
    address?.line2,
    [address?.postal_code, address?.city].filter(Boolean).join(' '),
    address?.region,
    address?.country && countryName(address.country),
  ];
  return (
    <div className={classes.side}>
      <Panel title="Details">
        <DescriptionList
          items={{
            Status: <ContactStatus status={contact.status} />,
            Email: contact.email,
            Phone: contact.phone,
            'External ID': contact.external_id,
            Company: contact.company,
            'Job title': contact.job_title,
            Address: place.filter(Boolean).join(', '),
            Language: contact.locale && languageName(contact.locale),
            'Time zone': contact.timezone,
            Source: contact.source,
            'Last seen': contact.last_seen_at && <RelativeTime at={contact.last_seen_at} />,
            Created: <RelativeTime at={contact.created_at} />,
            Updated: <RelativeTime at={contact.updated_at} />,
            ID: <code>{contact.id}</code>,
          }}
        />
      </Panel>
      <Panel title="Tags">
        {tags.length === 0 ? (
          <Text size="sm" c="dimmed">
            None
          </Text>
        ) : (
          <Tags tags={tags} />
        )}
      </Panel>
      <Panel title="Attributes">
        {Object.keys(attributes).length === 0 && (
          <Text size="sm" c="dimmed">
            None
          </Text>
        )}
        <DescriptionList items={Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, attributeText(value)]))} />
      </Panel>
      <ContactConsent contact={contact} />
      <ContactSegments contact={contact} />
      <ContactMerges contact={contact} />
    </div>
  );
}

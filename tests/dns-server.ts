import { createSocket } from 'node:dgram';
import { AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';

type DnsRecord = { type: 'TXT' | 'CNAME'; name: string; value: string };

const nameDoesNotExist = 3;

/**
 * A real DNS server on this machine that knows the records it is given, and no others. Ours instead of dnsmasq or unbound, so that the
 * tests need nothing but Node; the resolver under test is Node's in either case.
 */
export async function startDnsServer(t: { after: (cleanUp: () => Promise<void>) => void }) {
  const records = new Map<string, DnsRecord>();
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { id, questions = [] } = decode(message);
    const found = questions.flatMap(({ type, name }) => records.get(`${type} ${name.toLowerCase()}`) ?? []);
    const flags = AUTHORITATIVE_ANSWER | (found.length > 0 ? 0 : nameDoesNotExist);
    const responses = found.map(({ type, name, value }) =>
      type === 'CNAME'
        ? { type, name, ttl: 1, data: value }
        : // Long texts are split into strings of 255 bytes.
          { type, name, ttl: 1, data: value.match(/.{1,255}/g) ?? [] },
    );
    socket.send(encode({ type: 'response', ...(id !== undefined && { id }), flags, questions, answers: responses }), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => socket.close(resolve)));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    set: (record: DnsRecord) => records.set(`${record.type} ${record.name}`, record),
  };
}

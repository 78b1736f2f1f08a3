import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type Platform, startPlatform } from './platform.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

/** Pinned, so that results do not depend on new releases. */
const pythonClient = 'openapi-python-client==0.29.1';
const generator = 'openapi-generator-cli==7.25.0';

/** The scenario of every client. It prints the id of the contact, the number of contacts, and the code of an error. */
const story = { email: 'ada@example.com', city: 'Berlin', event: 'order_placed' };

const pythonCalls = `
import sys
from client import AuthenticatedClient
from client.api.contacts import create_contact, list_contacts
from client.api.segments import create_segment
from client.api.workflows import create_workflow
from client.api.lead_pulse import track_events
from client.models import *
client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
made = create_contact.sync(client=client, body=CreateContactBody.from_dict({"email": "${story.email}", "address": {"city": "${story.city}"}}))
assert isinstance(made, ContactResponse) and made.success, made
assert made.data.address.city == "${story.city}" and made.data.phone is None
listed = list_contacts.sync(client=client, limit=10, email="${story.email}")
assert isinstance(listed, ContactListResponse) and listed.data.pagination.has_more is False, listed
rule = RuleEq.from_dict({"field": "address.city", "op": "eq", "value": "${story.city}"})
segment = create_segment.sync(client=client, body=CreateSegmentBody(name="Berlin", definition=RuleAll(all_=[rule])))
assert isinstance(segment, DefinedSegmentResponse), segment
steps = [WorkflowStepInputDelay(id="wait", type_="delay", for_="PT1H", next_="tag"), WorkflowStepAddTag(id="tag", type_="add_tag", tag="x")]
workflow = create_workflow.sync(client=client, body=CreateWorkflowBody(name="Welcome", trigger=WorkflowTriggerManual(type_="manual"), steps=steps))
assert isinstance(workflow, WorkflowDetailsResponse) and workflow.data.steps[1].tag == "x", workflow
tracked = track_events.sync(client=client, body=TrackEventsBody(event="${story.event}", email="${story.email}"))
assert isinstance(tracked, TrackEventsResponse), tracked
refused = create_contact.sync(client=client, body=CreateContactBody(email="${story.email}"))
assert isinstance(refused, Failure), refused
print(made.data.id, len(listed.data.items), refused.error.code.value)
`;

const generatedPythonCalls = `
import sys, json
from openapi_client import *
api = ApiClient(Configuration(host=sys.argv[1], access_token=sys.argv[2]))
contacts = ContactsApi(api)
made = contacts.create_contact(create_contact_request=CreateContactRequest.from_dict({"email": "${story.email}", "address": {"city": "${story.city}"}}))
assert made.success and made.data.address.city == "${story.city}" and made.data.phone is None, made
listed = contacts.list_contacts(limit=10, email="${story.email}")
rule = Rule(RuleAll(all=[Rule(RuleEq(field="address.city", op="eq", value=ComparisonValue("${story.city}")))]))
segment = SegmentsApi(api).create_segment(create_segment_request=CreateSegmentRequest(name="Berlin", definition=rule))
assert segment.data.id.startswith("segment_"), segment
steps = [WorkflowStepInput(WorkflowStepInputDelay(id="wait", type="delay", **{"for": "PT1H"}, next="tag")), WorkflowStepInput(WorkflowStepAddTag(id="tag", type="add_tag", tag="x"))]
workflow = WorkflowsApi(api).create_workflow(create_workflow_request=CreateWorkflowRequest(name="Welcome", trigger=WorkflowTriggerInput(WorkflowTriggerManual(type="manual")), steps=steps))
assert workflow.data.steps[1].actual_instance.tag == "x", workflow
tracked = LeadPulseApi(api).track_events(track_events_request=TrackEventsRequest(event="${story.event}", email="${story.email}"))
assert tracked.success
try:
    contacts.create_contact(create_contact_request=CreateContactRequest(email="${story.email}"))
    code = None
except ApiException as refused:
    code = json.loads(refused.body)["error"]["code"]
print(made.data.id, len(listed.data.items), code)
`;

const typescriptCalls = `
import { Configuration, ContactsApi, LeadPulseApi, ResponseError, SegmentsApi, WorkflowsApi } from './client/index';
const [basePath = '', accessToken = ''] = process.argv.slice(2);
async function main() {
const configuration = new Configuration({ basePath, accessToken });
const contacts = new ContactsApi(configuration);
const made = await contacts.createContact({ createContactRequest: { email: '${story.email}', address: { city: '${story.city}' } } });
if (!made.success || made.data.address?.city !== '${story.city}' || made.data.phone !== null) throw new Error(JSON.stringify(made));
const listed = await contacts.listContacts({ limit: 10, email: '${story.email}' });
const segment = await new SegmentsApi(configuration).createSegment({
  createSegmentRequest: { name: 'Berlin', definition: { all: [{ field: 'address.city', op: 'eq', value: '${story.city}' }] } },
});
if (!segment.data.id.startsWith('segment_')) throw new Error(JSON.stringify(segment));
const workflow = await new WorkflowsApi(configuration).createWorkflow({
  createWorkflowRequest: {
    name: 'Welcome',
    trigger: { type: 'manual' },
    steps: [{ id: 'wait', type: 'delay', _for: 'PT1H', next: 'tag' }, { id: 'tag', type: 'add_tag', tag: 'x' }],
  },
});
const [, tagging] = workflow.data.steps;
if (tagging?.type !== 'add_tag' || tagging.tag !== 'x') throw new Error(JSON.stringify(workflow));
await new LeadPulseApi(configuration).trackEvents({ trackEventsRequest: { event: '${story.event}', email: '${story.email}' } });
const refused = await contacts.createContact({ createContactRequest: { email: '${story.email}' } }).catch((error: unknown) => error);
if (!(refused instanceof ResponseError)) throw new Error(String(refused));
const { error } = (await refused.response.json()) as { error: { code: string } };
console.log(made.data.id, listed.data.items.length, error.code);
}
main().catch(async (error) => {
  console.error(error instanceof ResponseError ? await error.response.text() : error);
  process.exit(1);
});
`;

const goCalls = `
package main
import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	client "example.com/x/client"
)
func must(err error) {
	if err != nil { panic(err) }
}
func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Args[1]}}
	api := client.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), client.ContextAccessToken, os.Args[2])
	body := client.NewCreateContactRequest()
	body.SetEmail("${story.email}")
	made, _, err := api.ContactsAPI.CreateContact(ctx).CreateContactRequest(*body).Execute()
	must(err)
	listed, _, err := api.ContactsAPI.ListContacts(ctx).Limit(10).Email("${story.email}").Execute()
	must(err)
	_, response, _ := api.ContactsAPI.CreateContact(ctx).CreateContactRequest(*body).Execute()
	var failure client.Failure
	must(json.NewDecoder(response.Body).Decode(&failure))
	fmt.Println(made.Data.Id, len(listed.Data.Items), failure.Error.Code)
}
`;

/** The reason why a tool is unavailable, or nothing. Tools are downloaded, which not every machine can do. */
const missing = async (name: string, ...args: string[]) =>
  run(name, args, { timeout: 300_000 }).then(
    () => undefined,
    () => `${name} ${args[0] ?? ''} is not available`,
  );

test('clients generated from /openapi.json compile and work with a running platform', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'clients-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const at = (...names: string[]) => join(folder, ...names);
  const python = at('python', 'bin', 'python');
  const noPython =
    (await missing('python3', '-m', 'venv', at('python'))) ?? (await missing(python, '-m', 'pip', 'install', '-q', pythonClient));
  const noGenerator = noPython ?? (await missing('java', '-version')) ?? (await missing(python, '-m', 'pip', 'install', '-q', generator));
  if (noPython) return t.skip(noPython);

  const platform = await startPlatform(t);
  const document = at('openapi.json');
  await writeFile(document, await (await fetch(`${platform.url}/openapi.json`)).text());
  const generate = (language: string, output: string, ...more: string[]) =>
    run(at('python', 'bin', 'openapi-generator-cli'), ['generate', '-i', document, '-g', language, '-o', output, ...more], {
      maxBuffer: 1e8,
    });

  await t.test('Python, by openapi-python-client', async () => {
    const options = ['--meta', 'none', '--output-path', at('client')];
    const { stdout, stderr } = await run(at('python', 'bin', 'openapi-python-client'), ['generate', '--path', document, ...options], {
      maxBuffer: 1e8,
    });
    const warnings = `${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('WARNING'));
    assert.deepEqual(
      warnings,
      [
        'WARNING parsing POST /v2/contacts/imports within contacts. Endpoint will not be generated.',
        'WARNING parsing GET /v2/leadpulse/visitors/{id}/export within lead_pulse.',
      ],
      'the generator does not support bodies in CSV and responses in JSON Lines',
    );
    await writeFile(at('calls.py'), pythonCalls);
    await holds(platform, 'python-client', python, at('calls.py'));
  });

  await t.test('Python, by openapi-generator', async (t) => {
    if (noGenerator) return t.skip(noGenerator);
    await generate('python', at('generated'));
    await run(python, ['-m', 'pip', 'install', '-q', at('generated')]);
    await writeFile(at('generated-calls.py'), generatedPythonCalls);
    await holds(platform, 'python', python, at('generated-calls.py'));
  });

  await t.test('TypeScript, by openapi-generator', async (t) => {
    if (noGenerator) return t.skip(noGenerator);
    await generate('typescript-fetch', at('typescript', 'client'));
    await writeFile(at('typescript', 'calls.ts'), typescriptCalls);
    await writeFile(at('typescript', 'package.json'), '{"type": "commonjs"}');
    await symlink(join(root, 'node_modules'), at('typescript', 'node_modules'));
    const compilerOptions = {
      ...{ target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom'], types: ['node'] },
      ...{ strict: true, skipLibCheck: true, outDir: at('typescript', 'built'), rootDir: at('typescript') },
    };
    await writeFile(at('typescript', 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
    await compiles(join(root, 'node_modules', '.bin', 'tsc'), '-p', at('typescript'));
    await holds(platform, 'typescript', process.execPath, at('typescript', 'built', 'calls.js'));
  });

  await t.test('Go, by openapi-generator', async (t) => {
    const none = noGenerator ?? (await missing('go', 'version'));
    if (none) return t.skip(none);
    await generate('go', at('go'), '--git-host=example.com', '--git-user-id=x', '--git-repo-id=client');
    const noModules = await run('go', ['mod', 'tidy'], { cwd: at('go') }).then(
      () => undefined,
      () => 'go cannot download modules',
    );
    if (noModules) return t.skip(noModules);
    await mkdir(at('go', 'calls'));
    await writeFile(at('go', 'calls', 'main.go'), goCalls);
    await compiles('go', 'build', '-C', at('go'), '-o', at('calls'), './calls');
    await holds(platform, 'go', at('calls'));
  });
});

async function compiles(command: string, ...args: string[]) {
  await run(command, args, { maxBuffer: 1e8 }).catch((error: { stdout: string; stderr: string }) =>
    assert.fail(`${error.stdout}${error.stderr}`),
  );
}

/** Runs the scenario with a client in a separate account and checks its output. */
async function holds(platform: Platform, account: string, command: string, ...args: string[]) {
  const client = await platform.client('--permission', 'read_write', '--account', account);
  const { stdout } = await run(command, [...args, platform.url, client.key ?? ''], { maxBuffer: 1e8 }).catch(
    (error: { stdout: string; stderr: string }) => assert.fail(`${error.stdout}${error.stderr}`),
  );
  const [contact] = (await client.get(`/v2/contacts?email=${story.email}`)).data.items;
  assert.equal(stdout.trim(), `${contact.id} 1 CONFLICT`);
}

import { contactHistory } from './contact-history.ts';
import { contacts } from './contacts.ts';
import { files } from './files.ts';
import { navigation } from './navigation.ts';
import { overview } from './overview.ts';
import { palette } from './palette.ts';
import { segments } from './segments.ts';
import { testJourneys } from './test-journeys.ts';

testJourneys('journeys through contacts and segments', contacts, contactHistory, files, palette, overview, segments, navigation);

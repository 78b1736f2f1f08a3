import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributeGuess, guessedChoices } from './column-guess.ts';
import { mappingOf, undecidedIn } from './column-mapping.ts';
import { guessOf, ordersOf } from './value-guess.ts';

const mapped = (columns: string[], rows: string[][] = []) => mappingOf(guessedChoices(columns, rows));

test('headers in ten languages are matched to fields', () => {
  for (const [email, first, last, city] of [
    ['E-Mail-Adresse', 'Vorname', 'Nachname', 'Wohnort'],
    ['Courriel', 'Prénom', 'Nom de famille', 'Ville'],
    ['Correo electrónico', 'Nombre', 'Apellidos', 'Ciudad'],
    ['Indirizzo email', 'Nome', 'Cognome', 'Città'],
    ['Endereço de email', 'Primeiro nome', 'Sobrenome', 'Cidade'],
    ['E-mailadres', 'Voornaam', 'Achternaam', 'Woonplaats'],
    ['Adres e-mail', 'Imię', 'Nazwisko', 'Miasto'],
    ['E-postadress', 'Förnamn', 'Efternamn', 'Stad'],
    ['メールアドレス', '名', '姓', '都市'],
  ] as const)
    assert.deepEqual(mapped([email, first, last, city]), {
      [email]: 'email',
      [first]: 'first_name',
      [last]: 'last_name',
      [city]: 'address.city',
    });
  assert.deepEqual(
    undecidedIn(['Email Address', 'Given name', 'Family_Name'], guessedChoices(['Email Address', 'Given name', 'Family_Name'], [])),
    [],
  );
});

test('columns with other headers are matched by their values', () => {
  const rows = [
    ['ada@example.com', '+49 30 901820', 'Allemagne', 'x'],
    ['', '', 'FR', ''],
  ];
  assert.deepEqual(mapped(['A', 'B', 'C', 'D'], rows), { A: 'email', B: 'phone', C: 'address.country' });
  assert.deepEqual(mapped(['Email', 'Second'], [['a@b.de', 'c@d.de']]), {}, 'no field is filled twice');
});

test('a name alone is the full name, and beside first names the last name', () => {
  assert.deepEqual(mapped(['Email', 'Name']), { Name: 'full_name' });
  assert.deepEqual(mapped(['Email', 'Vorname', 'Name']), { Vorname: 'first_name', Name: 'last_name' });
  assert.deepEqual(mapped(['Email', 'Vorname', 'Nachname', 'Name']), { Vorname: 'first_name', Nachname: 'last_name' });
});

test('an attribute gets the type that its values have', () => {
  const typeOf = (...cells: string[]) => {
    const guess = guessOf(cells);
    return guess?.kind === 'attribute' ? guess.type : guess?.kind;
  };
  assert.deepEqual(
    [
      typeOf('12', '', '3.5'),
      typeOf('ja', 'Nein'),
      typeOf('2026-12-31'),
      typeOf('31.12.2026', '1.2.2027'),
      typeOf('01067', '10115'),
      typeOf('0', '1'),
      typeOf('pro', 'free'),
      typeOf('de', 'fr'),
      typeOf('', ''),
    ],
    ['number', 'boolean', 'date', 'date', 'string', 'number', 'string', 'string', undefined],
  );
  assert.deepEqual(attributeGuess('Sign-up date', ['12/31/2026', '1/2/2026']), {
    ...{ fills: 'attribute', key: 'sign_up_date', type: 'date', order: 'mdy' },
  });
  assert.deepEqual(mappingOf({ Born: attributeGuess('Born', ['31.12.1990']) }), { Born: 'attributes.born:date:dmy' });
});

test('dates that can be read in several orders leave the choice, and others do not', () => {
  assert.deepEqual(ordersOf(['3/4/2026', '5/6/2026']), ['dmy', 'mdy']);
  assert.deepEqual(ordersOf(['3/4/2026', '15/6/2026']), ['dmy']);
  assert.deepEqual(ordersOf(['2026-12-31']), []);
});

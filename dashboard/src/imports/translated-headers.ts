import { type ContactField, isField } from './column-mapping.ts';

/**
 * Names of columns in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish and Japanese. Hyphens and spaces
 * are the same.
 */
const words: Readonly<Partial<Record<ContactField, string>>> = {
  email:
    'email, e mail, mail, email address, e mail-adresse, emailadresse, mailadresse, courriel, adresse e mail, adresse mail, correo, ' +
    'correo electrónico, correo electronico, indirizzo email, posta elettronica, endereço de email, e mailadres, adres e mail, ' +
    'e-postadress, epost, e-post, メール, メールアドレス, eメール',
  phone:
    'phone, telephone, tel, mobile, cell, cell phone, mobile number, telefon, telefonnummer, handy, handynummer, mobil, mobilnummer, ' +
    'téléphone, portable, mobile phone, teléfono, móvil, celular, telefono, cellulare, numero di telefono, telefone, telemóvel, ' +
    'telefoon, telefoonnummer, mobiel, numer telefonu, komórka, 電話, 電話番号, 携帯電話',
  external_id:
    'customer id, customer number, customer no, kundennummer, kunden-id, kundennr, numéro client, id client, número de cliente, id cliente, ' +
    'codice cliente, número do cliente, klantnummer, numer klienta, kundnummer, 顧客番号, 顧客id',
  first_name:
    'first name, given name, forename, vorname, prénom, prenom, nombre, nombre de pila, nome, primeiro nome, voornaam, imię, imie, ' +
    'förnamn, 名',
  last_name:
    'last name, surname, family name, nachname, familienname, nom de famille, nom, apellido, apellidos, cognome, sobrenome, apelido, ' +
    'achternaam, nazwisko, efternamn, 姓',
  full_name:
    'name, full name, contact name, customer name, vollständiger name, kompletter name, nom complet, nombre completo, nombre y apellidos, ' +
    'nome completo, nome e cognome, volledige naam, naam, imię i nazwisko, imie i nazwisko, fullständigt namn, namn, 氏名, お名前, 名前',
  company:
    'company, organisation, organization, employer, firma, unternehmen, société, entreprise, empresa, compañía, azienda, società, bedrijf, ' +
    'organisatie, przedsiębiorstwo, företag, 会社, 会社名',
  job_title:
    'job title, position, role, beruf, stelle, funktion, poste, fonction, puesto, cargo, ruolo, posizione, função, functie, stanowisko, ' +
    'befattning, titel, 役職',
  locale: 'language, locale, sprache, langue, idioma, lingua, língua, taal, język, jezyk, språk, 言語',
  timezone: 'time zone, timezone, zeitzone, fuseau horaire, zona horaria, fuso orario, fuso horário, tijdzone, strefa czasowa, tidszon',
  tags: 'tags, labels, schlagworte, schlagwörter, étiquettes, etiquetas, etichette, etykiety, taggar, タグ',
  'address.line1':
    'street, address, street address, address line 1, straße, strasse, anschrift, adresse, rue, calle, dirección, direccion, via, ' +
    'indirizzo, rua, endereço, morada, straat, adres, ulica, gata, adress, gatuadress, 住所, 番地',
  'address.line2': 'address line 2, adresszusatz, complément d’adresse, complemento',
  'address.postal_code':
    'zip, zip code, postcode, postal code, plz, postleitzahl, code postal, código postal, codigo postal, cap, cep, ' +
    'kod pocztowy, postnummer, 郵便番号',
  'address.city':
    'city, stadt, ort, wohnort, ville, ciudad, città, citta, cidade, stad, plaats, woonplaats, miasto, ort, stad, 市, 市区町村, 都市',
  'address.region':
    'state, region, province, county, bundesland, région, département, provincia, comunidad, regione, estado, provincie, województwo, ' +
    'landskap, län, 都道府県, 県',
  'address.country': 'country, land, pays, país, pais, paese, nazione, kraj, 国, 国名',
};

const keyOf = (header: string) =>
  header
    .trim()
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[\s_.:*-]+/g, ' ')
    .trim();

const targets = new Map<string, ContactField>();
for (const [target, names] of Object.entries(words))
  for (const name of names.split(', ')) if (isField(target) && !targets.has(keyOf(name))) targets.set(keyOf(name), target);

/** The field that a header means in one of the ten languages; undefined if it means none. */
export const targetOfHeader = (header: string): ContactField | undefined => targets.get(keyOf(header));

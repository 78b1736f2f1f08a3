import type { PageLanguage } from '@mp/contracts/page-language';

/** The texts of the email that confirms a form, in one language. They are parts of Liquid templates. */
type Texts = { subject: string; reminder: string; intro: string; button: string; ignore: string };

export const confirmationTexts: Readonly<Record<PageLanguage, Texts>> = {
  en: {
    subject: 'Please confirm',
    reminder: 'Reminder: please confirm',
    intro: 'A form was filled in with this address, agreeing to:',
    button: 'Confirm',
    ignore: 'If that was not you, ignore this email. Nothing is confirmed until you use the link, which is valid for 7 days.',
  },
  de: {
    subject: 'Bitte bestätigen',
    reminder: 'Erinnerung: bitte bestätigen',
    intro: 'Mit dieser Adresse wurde ein Formular ausgefüllt und zugestimmt:',
    button: 'Bestätigen',
    ignore: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ohne den Link, der 7 Tage gilt, wird nichts bestätigt.',
  },
  fr: {
    subject: 'Veuillez confirmer',
    reminder: 'Rappel : veuillez confirmer',
    intro: 'Un formulaire a été rempli avec cette adresse, en acceptant :',
    button: 'Confirmer',
    ignore: 'Si ce n’était pas vous, ignorez cet e-mail. Rien n’est confirmé sans le lien, valable 7 jours.',
  },
  es: {
    subject: 'Confirme, por favor',
    reminder: 'Recordatorio: confirme, por favor',
    intro: 'Alguien ha rellenado un formulario con esta dirección y ha aceptado:',
    button: 'Confirmar',
    ignore: 'Si no ha sido usted, ignore este correo. Nada se confirma sin el enlace, válido durante 7 días.',
  },
  it: {
    subject: 'Conferma',
    reminder: 'Promemoria: conferma',
    intro: 'Qualcuno ha compilato un modulo con questo indirizzo e ha accettato:',
    button: 'Conferma',
    ignore: 'Se non sei stato tu, ignora questa email. Nulla viene confermato senza il link, valido per 7 giorni.',
  },
  pt: {
    subject: 'Confirme, por favor',
    reminder: 'Lembrete: confirme, por favor',
    intro: 'Alguém preencheu um formulário com este endereço e aceitou:',
    button: 'Confirmar',
    ignore: 'Se não foi você, ignore este email. Nada é confirmado sem o link, válido por 7 dias.',
  },
  nl: {
    subject: 'Bevestig alstublieft',
    reminder: 'Herinnering: bevestig alstublieft',
    intro: 'Met dit adres is een formulier ingevuld en is akkoord gegaan met:',
    button: 'Bevestigen',
    ignore: 'Was u dit niet? Negeer dan deze e-mail. Zonder de link, die 7 dagen geldig is, wordt niets bevestigd.',
  },
  pl: {
    subject: 'Potwierdź',
    reminder: 'Przypomnienie: potwierdź',
    intro: 'Ktoś wypełnił formularz, podając ten adres, i wyraził zgodę:',
    button: 'Potwierdź',
    ignore: 'Jeśli to nie Ty, zignoruj tę wiadomość. Bez użycia linku, ważnego 7 dni, nic nie zostanie potwierdzone.',
  },
  sv: {
    subject: 'Bekräfta',
    reminder: 'Påminnelse: bekräfta',
    intro: 'Någon fyllde i ett formulär med den här adressen och godkände:',
    button: 'Bekräfta',
    ignore: 'Om det inte var du kan du ignorera det här meddelandet. Inget bekräftas utan länken, som gäller i 7 dagar.',
  },
  ja: {
    subject: '確認のお願い',
    reminder: '再送：確認のお願い',
    intro: 'このメールアドレスでフォームが送信され、次の内容への同意がありました。',
    button: '確認する',
    ignore: 'お心当たりがない場合は、このメールを無視してください。リンク（7日間有効）を使用しない限り、何も確認されません。',
  },
};

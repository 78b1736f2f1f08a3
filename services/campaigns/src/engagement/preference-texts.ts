import { type PageLanguage, pageLanguage } from '@mp/contracts/page-language';

/** The texts of the preference page in one language. */
export type Texts = {
  title: string;
  intro: string;
  topics: string;
  save: string;
  saved: string;
  all: string;
  allHint: string;
  unsubscribe: string;
  unsubscribeHint: string;
  unsubscribed: string;
  unsubscribedHint: string;
  resubscribeHint: string;
  resubscribe: string;
  resubscribed: string;
};

const en: Texts = {
  title: 'Email preferences',
  intro: 'Choose which emails you receive from this sender.',
  topics: 'Topics',
  save: 'Save',
  saved: 'Your preferences are saved.',
  all: 'Unsubscribe from all',
  allHint: 'You will no longer receive marketing email from this sender.',
  unsubscribe: 'Unsubscribe',
  unsubscribeHint: 'You will no longer receive marketing email from this sender.',
  unsubscribed: 'You are unsubscribed',
  unsubscribedHint: 'You will no longer receive marketing email from this sender.',
  resubscribeHint: 'You can change your mind: you will receive marketing email from this sender again.',
  resubscribe: 'Subscribe again',
  resubscribed: 'You are subscribed again.',
};

const languages: Record<PageLanguage, Texts> = {
  en,
  de: {
    title: 'E-Mail-Einstellungen',
    intro: 'Wählen Sie, welche E-Mails Sie von diesem Absender erhalten.',
    topics: 'Themen',
    save: 'Speichern',
    saved: 'Ihre Einstellungen sind gespeichert.',
    all: 'Alle abbestellen',
    allHint: 'Sie erhalten keine Werbe-E-Mails dieses Absenders mehr.',
    unsubscribe: 'Abbestellen',
    unsubscribeHint: 'Sie erhalten keine Werbe-E-Mails dieses Absenders mehr.',
    unsubscribed: 'Sie sind abgemeldet',
    unsubscribedHint: 'Sie erhalten keine Werbe-E-Mails dieses Absenders mehr.',
    resubscribeHint: 'Sie können es sich anders überlegen: Sie erhalten dann wieder Werbe-E-Mails dieses Absenders.',
    resubscribe: 'Wieder abonnieren',
    resubscribed: 'Sie haben wieder abonniert.',
  },
  fr: {
    title: 'Préférences de messagerie',
    intro: 'Choisissez les e-mails que vous recevez de cet expéditeur.',
    topics: 'Sujets',
    save: 'Enregistrer',
    saved: 'Vos préférences sont enregistrées.',
    all: 'Se désabonner de tout',
    allHint: 'Vous ne recevrez plus d’e-mails marketing de cet expéditeur.',
    unsubscribe: 'Se désabonner',
    unsubscribeHint: 'Vous ne recevrez plus d’e-mails marketing de cet expéditeur.',
    unsubscribed: 'Vous êtes désabonné',
    unsubscribedHint: 'Vous ne recevrez plus d’e-mails marketing de cet expéditeur.',
    resubscribeHint: 'Vous avez changé d’avis ? Vous recevrez de nouveau des e-mails marketing de cet expéditeur.',
    resubscribe: 'Se réabonner',
    resubscribed: 'Vous êtes de nouveau abonné.',
  },
  es: {
    title: 'Preferencias de correo',
    intro: 'Elija qué correos recibe de este remitente.',
    topics: 'Temas',
    save: 'Guardar',
    saved: 'Sus preferencias se han guardado.',
    all: 'Cancelar todas las suscripciones',
    allHint: 'Ya no recibirá correos de marketing de este remitente.',
    unsubscribe: 'Cancelar la suscripción',
    unsubscribeHint: 'Ya no recibirá correos de marketing de este remitente.',
    unsubscribed: 'Se ha cancelado su suscripción',
    unsubscribedHint: 'Ya no recibirá correos de marketing de este remitente.',
    resubscribeHint: '¿Ha cambiado de opinión? Volverá a recibir correos de marketing de este remitente.',
    resubscribe: 'Volver a suscribirse',
    resubscribed: 'Se ha vuelto a suscribir.',
  },
  it: {
    title: 'Preferenze email',
    intro: 'Scegli quali email ricevere da questo mittente.',
    topics: 'Argomenti',
    save: 'Salva',
    saved: 'Le tue preferenze sono state salvate.',
    all: 'Annulla tutte le iscrizioni',
    allHint: 'Non riceverai più email di marketing da questo mittente.',
    unsubscribe: 'Annulla l’iscrizione',
    unsubscribeHint: 'Non riceverai più email di marketing da questo mittente.',
    unsubscribed: 'Iscrizione annullata',
    unsubscribedHint: 'Non riceverai più email di marketing da questo mittente.',
    resubscribeHint: 'Hai cambiato idea? Riceverai di nuovo email di marketing da questo mittente.',
    resubscribe: 'Iscriviti di nuovo',
    resubscribed: 'La tua iscrizione è di nuovo attiva.',
  },
  pt: {
    title: 'Preferências de email',
    intro: 'Escolha quais emails recebe deste remetente.',
    topics: 'Tópicos',
    save: 'Guardar',
    saved: 'As suas preferências foram guardadas.',
    all: 'Cancelar todas as subscrições',
    allHint: 'Deixará de receber emails de marketing deste remetente.',
    unsubscribe: 'Cancelar a subscrição',
    unsubscribeHint: 'Deixará de receber emails de marketing deste remetente.',
    unsubscribed: 'A sua subscrição foi cancelada',
    unsubscribedHint: 'Deixará de receber emails de marketing deste remetente.',
    resubscribeHint: 'Mudou de ideias? Voltará a receber emails de marketing deste remetente.',
    resubscribe: 'Voltar a subscrever',
    resubscribed: 'A sua subscrição está novamente ativa.',
  },
  nl: {
    title: 'E-mailvoorkeuren',
    intro: 'Kies welke e-mails u van deze afzender ontvangt.',
    topics: 'Onderwerpen',
    save: 'Opslaan',
    saved: 'Uw voorkeuren zijn opgeslagen.',
    all: 'Voor alles afmelden',
    allHint: 'U ontvangt geen marketingmails meer van deze afzender.',
    unsubscribe: 'Afmelden',
    unsubscribeHint: 'U ontvangt geen marketingmails meer van deze afzender.',
    unsubscribed: 'U bent afgemeld',
    unsubscribedHint: 'U ontvangt geen marketingmails meer van deze afzender.',
    resubscribeHint: 'Van gedachten veranderd? U ontvangt dan weer marketingmails van deze afzender.',
    resubscribe: 'Opnieuw aanmelden',
    resubscribed: 'U bent weer aangemeld.',
  },
  pl: {
    title: 'Ustawienia e-maili',
    intro: 'Wybierz, które e-maile chcesz otrzymywać od tego nadawcy.',
    topics: 'Tematy',
    save: 'Zapisz',
    saved: 'Ustawienia zostały zapisane.',
    all: 'Zrezygnuj ze wszystkich',
    allHint: 'Nie będziesz już otrzymywać e-maili marketingowych od tego nadawcy.',
    unsubscribe: 'Zrezygnuj z subskrypcji',
    unsubscribeHint: 'Nie będziesz już otrzymywać e-maili marketingowych od tego nadawcy.',
    unsubscribed: 'Subskrypcja została anulowana',
    unsubscribedHint: 'Nie będziesz już otrzymywać e-maili marketingowych od tego nadawcy.',
    resubscribeHint: 'Zmieniasz zdanie? Będziesz znowu otrzymywać e-maile marketingowe od tego nadawcy.',
    resubscribe: 'Zasubskrybuj ponownie',
    resubscribed: 'Subskrypcja jest znowu aktywna.',
  },
  sv: {
    title: 'E-postinställningar',
    intro: 'Välj vilka e-postmeddelanden du får från den här avsändaren.',
    topics: 'Ämnen',
    save: 'Spara',
    saved: 'Dina inställningar har sparats.',
    all: 'Avsluta alla prenumerationer',
    allHint: 'Du får inte längre marknadsföring via e-post från den här avsändaren.',
    unsubscribe: 'Avsluta prenumerationen',
    unsubscribeHint: 'Du får inte längre marknadsföring via e-post från den här avsändaren.',
    unsubscribed: 'Prenumerationen är avslutad',
    unsubscribedHint: 'Du får inte längre marknadsföring via e-post från den här avsändaren.',
    resubscribeHint: 'Har du ändrat dig? Du får då marknadsföring via e-post från den här avsändaren igen.',
    resubscribe: 'Prenumerera igen',
    resubscribed: 'Du prenumererar igen.',
  },
  ja: {
    title: 'メール配信設定',
    intro: 'この送信者から受け取るメールを選択してください。',
    topics: 'トピック',
    save: '保存',
    saved: '設定を保存しました。',
    all: 'すべて配信停止',
    allHint: 'この送信者からのマーケティングメールは届かなくなります。',
    unsubscribe: '配信停止',
    unsubscribeHint: 'この送信者からのマーケティングメールは届かなくなります。',
    unsubscribed: '配信を停止しました',
    unsubscribedHint: 'この送信者からのマーケティングメールは届かなくなります。',
    resubscribeHint: '配信を再開すると、この送信者からのマーケティングメールが再び届きます。',
    resubscribe: '配信を再開',
    resubscribed: '配信を再開しました。',
  },
};

/** The texts in the language of the contact's locale, else of the browser, else in English. */
export function textsFor(locale: string | null | undefined, acceptLanguage = ''): { language: PageLanguage; texts: Texts } {
  const language = pageLanguage(locale, acceptLanguage);
  return { language, texts: languages[language] };
}

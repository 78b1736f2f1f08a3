/** The consent of a newsletter form. */
export const newsletter = (more: object = {}) => [
  { key: 'news', channel: 'email', topics: ['newsletter'], text: { en: 'Yes, send me the newsletter.' }, ...more },
];

let forms = 0;

/** A form that asks for an email and for consent to a newsletter. */
export const aForm = () => {
  forms += 1;
  return {
    name: `Newsletter ${forms}`,
    fields: [{ field: 'email', type: 'email', label: { en: 'Email' }, required: true }],
    consents: newsletter(),
    sender: { email: 'news@shop.example', name: 'Shop' },
  };
};

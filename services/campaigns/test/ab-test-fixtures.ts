/** The email of a campaign, and two variants of it. */
export const html = '<p>Hi {{ contact.first_name }}</p><a href="https://shop.example/offer">Offer</a>';
export const variants = [
  { weight: 50, subject: 'Subject A' },
  { weight: 50, subject: 'Subject B', html: '<p>B</p><a href="https://shop.example/b">B</a>', from: { email: 'b@example.com' } },
];

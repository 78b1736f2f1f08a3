const firstNames = ['Ada', 'Grace', 'Linus', 'Margaret', 'Dennis'];
const cities = ['Berlin', 'Hamburg', 'Wien', 'Zürich'];

/** A spreadsheet of people, saved as CSV: every fourth lives in Berlin, and every third is a customer. */
export function peopleFile(people: number) {
  const rows = Array.from({ length: people }, (_, index) => {
    const firstName = firstNames[index % firstNames.length];
    return [`person.${index}@example.com`, firstName, cities[index % cities.length], index % 3 === 0 ? 'customer' : 'subscriber'];
  });
  const text = [['Email', 'First name', 'City', 'Tags'], ...rows].map((row) => row.join(',')).join('\n');
  return { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
}

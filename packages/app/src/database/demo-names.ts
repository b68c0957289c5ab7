const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** First names of demo members, from many countries. */
export const FIRST_NAMES = words(`
  Aiko Amara Anders Anika Aylin Bao Beatriz Bruno Carmen Chidi Clara Daniel Dilan Elena Emil Fatima Finn Grace Hana Hugo
  Ines Ivan Jamal José Kemal Lars Leïla Łucja Mateo Mei Mira Nadia Nils Noor Núria Olga Omar Paula Priya Rafael Rosa Samir Sofia
  Tariq Tomás Uche Vera Viktor Yara Yusuf Zoë
`);

/** Last names of demo members. Their number and that of first names have no common divisor, so that all pairs occur. */
export const LAST_NAMES = words(`
  Adeyemi Ahmed Andersson Aydın Bauer Bianchi Campbell Castro Chen Costa Cruz Dahl Diallo Dubois Eriksen Fernández Fischer
  García Haddad Hansen Hoffmann Ito Ivanova Jansen Jovanović Kaplan Khan Kim Kowalski Kumar Lehtonen Lopes Mbeki Moreau
  Müller Nagy Nakamura Nguyen Novák O'Brien Okafor Olsen Papadopoulos Patel Pereira Petrov Rossi Santos Schmidt Silva Singh
  Suzuki Tanaka Varga Wang Weber Yılmaz Zhang Zimmermann
`);
